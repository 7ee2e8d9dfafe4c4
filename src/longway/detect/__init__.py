"""What an audit looks at: detectors (`levels.py` lists them), findings, leak, duplicates."""
