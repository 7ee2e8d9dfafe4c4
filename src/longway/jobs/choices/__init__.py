"""Data with candidates (`data.choices`): their audit, repair and proof. `longway audit`, `repair` and `prove` use them where data have candidates."""
