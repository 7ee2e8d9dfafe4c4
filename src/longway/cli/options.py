"""Command-line options derived from settings dataclasses.

    @command
    def audit(data: Data, source: DataOptions, settings: AuditSettings, output: OutputOptions) -> None: ...

Each parameter that is a dataclass becomes a group of options: names, types and defaults from its fields, help, panels and bounds from
`jobs.options.option`. `--help` shows the common options; `--help-all` shows the rest too. Rare options have no option of their own: they
are set with `--set NAME=VALUE`, whose help lists them.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from shlex import quote
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from longway.errors import ColumnError, SettingError
from longway.jobs.options import CANDIDATES, DATA, ENGINE, OUTPUT, Option, option

if TYPE_CHECKING:
    from longway.data import Dataset
    from longway.data.choices import ChoiceDataset
    from longway.jobs.engine_use import Engines

Data = Annotated[
    str,
    typer.Argument(
        help="A CSV, TSV, JSONL, JSON, Parquet, Arrow or Excel (.xlsx) file (also .gz, .zst), a folder or glob of shards, "
        "a saved Hugging Face dataset, or hf:NAME[:CONFIG][:SPLIT]."
    ),
]


@dataclasses.dataclass(frozen=True, slots=True)
class ColumnOptions:
    """Which columns to read."""

    text: str | None = option(
        None, "Column with the text. Default: guessed from the usual names.", group=DATA
    )
    context: str | None = option(
        None, "Column with the premise or evidence. It is read, never changed.", group=DATA
    )
    label: tuple[str, ...] = option((), "Column with the label.", group=DATA)
    id: str | None = option(None, "Column with an id. Default: row numbers.", group=DATA, advanced=True)
    split: str | None = option(None, "Split to work on. Default: train.", group=DATA, advanced=True)
    split_column: str | None = option(None, "Column with the split.", group=DATA, advanced=True)
    stream: bool | None = option(
        None, "Read in a stream. Default: if the data would not fit in memory.", group=DATA, advanced=True
    )
    encoding: str | None = option(
        None,
        "Encoding of text files that are not UTF-8, such as cp1251. Default: Windows-1252, Latin-1 and "
        "UTF-16 are recognised.",
        group=DATA,
        advanced=True,
        metavar="NAME",
    )
    language: str | None = option(
        None,
        "Language of the texts, such as de, or en,de if they are mixed. Default: identified.",
        group=DATA,
        metavar="CODE",
        advanced=True,
    )

    def load(self, data: str, *, several_labels: bool = False) -> Dataset:
        """Load the dataset with these columns; with several labels, the first one. SettingError if there are several and one is expected."""
        from longway.cli.screen import errors
        from longway.data import load

        if self.language:
            from longway.language_names import codes_of

            codes_of(self.language)
        label = self.label[0] if several_labels and self.label else one_label(self.label)
        with errors().status("opening the data"):
            return load(
                data,
                text=self.text,
                context=self.context,
                label=label,
                id=self.id,
                split=self.split_column,
                limit=getattr(self, "limit", None),
                stream=self.stream,
                encoding=self.encoding,
                language=self.language,
            )


def one_label(given: tuple[str, ...]) -> str | None:
    """The label column of a command that takes one; SettingError if several were given."""
    if len(given) > 1:
        raise SettingError(
            f"--label was given {len(given)} times. Expected one label column; only `longway audit` takes several. "
            "Run this command once for each label."
        )
    return given[0] if given else None


def named_files(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Name to path; a plain FILE is named after itself.

    >>> named_files(["dev=my.csv", "data/other.jsonl.gz"], "test")
    {'dev': 'my.csv', 'other': 'data/other.jsonl.gz'}
    """
    found: dict[str, str] = {}
    for item in given or ():
        name, equals, path = item.partition("=")
        if not equals or Path(item).exists():
            name, path = Path(item).name.split(".")[0], item
        if name in found:
            raise SettingError(
                f"--{option} names {name!r} twice. Each needs a name of its own: --{option} NAME=FILE."
            )
        found[name] = path
    return found


@dataclasses.dataclass(frozen=True, slots=True)
class DataOptions(ColumnOptions):
    """Which columns and rows to read."""

    limit: int | None = option(None, "Read only the first rows.", group=DATA, at_least=1)


@dataclasses.dataclass(frozen=True, slots=True)
class CandidateOptions:
    """Columns of data with candidates: one prompt, several candidates, one of them right or preferred."""

    choices: tuple[str, ...] = option(
        (),
        "Column with a list of options, or one of several columns with an option each. Repeatable. "
        "Default: guessed from the usual names.",
        group=CANDIDATES,
    )
    answer: str | None = option(
        None, "Column with the right option: its number, letter or text.", group=CANDIDATES
    )
    scores: str | None = option(
        None,
        "Column with a list of scores, one per candidate; the highest is right.",
        group=CANDIDATES,
        rare=True,
    )
    chosen: str | None = option(
        None, "Column with the preferred answer: a text, or a list of chat messages.", group=CANDIDATES
    )
    rejected: str | None = option(None, "Column with the other answer.", group=CANDIDATES)
    a: str | None = option(
        None, "Column with the first of two answers that a judge compared.", group=CANDIDATES, rare=True
    )
    b: str | None = option(None, "Column with the second.", group=CANDIDATES, rare=True)
    winner: str | None = option(
        None, "Column with the judge's vote: a, b or tie.", group=CANDIDATES, rare=True
    )
    prompt: str | None = option(None, "Column with the question or prompt.", group=CANDIDATES, advanced=True)
    answer_base: int | None = option(
        None,
        "The number of the first option, or of the first answer in votes, 0 or 1, if answers are numbers."
        " Default: what the numbers show.",
        group=CANDIDATES,
        rare=True,
        at_least=0,
        at_most=1,
    )

    def load(self, data: str, source: DataOptions) -> ChoiceDataset | None:
        """The questions of the data; None if a text or label column was named, or if the data have no candidates."""
        from longway.data.choice_columns import GivenColumns
        from longway.data.choices import load_choices

        given = GivenColumns(**dataclasses.asdict(self), id=source.id)
        named = [name for name in ("text", "context", "label") if getattr(source, name)]
        if named and given.named:
            raise SettingError(
                f"--{named[0]} names a column of labelled texts, but other options name candidates. Use one kind of data."
            )
        found = None if named else load_choices(data, given, limit=source.limit, encoding=source.encoding)
        if found is not None and source.language:
            raise SettingError(
                "--language applies to labelled texts. The language of candidates is identified question by question: leave it out."
            )
        return found


@dataclasses.dataclass(frozen=True, slots=True)
class ChoiceOptions(CandidateOptions):
    """Columns of data with candidates, and who judged them."""

    judge: str | None = option(None, "Column with the name of the judge.", group=CANDIDATES, rare=True)


@dataclasses.dataclass(frozen=True, slots=True)
class OutputOptions:
    """Where the result goes."""

    out: Path | None = option(
        None,
        "Run folder. Default: a folder in longway-runs named after the data and the command.",
        group=OUTPUT,
    )
    json: bool = option(False, "Print the result as JSON instead of tables.", group=OUTPUT, flag=True)
    running: Any = None  # the command as typer runs it

    def again(self, *without: str, **changed: object) -> str:
        """The command that runs now, as it was typed. without: options to leave out. changed: options with another value."""
        words = ["longway", str(self.running.info_name)]
        words += _as_typed(self.running, {*without, *(f"--{name.replace('_', '-')}" for name in changed)})
        words += [f"--{name.replace('_', '-')} {quote(str(value))}" for name, value in changed.items()]
        return " ".join(words)


@dataclasses.dataclass(frozen=True, slots=True)
class ServerOptions:
    """Where an engine is, and what it may cost."""

    base_url: str | None = option(
        None,
        "Address of the server. Default: LONGWAY_BASE_URL, then OpenAI's.",
        group=ENGINE,
        advanced=True,
    )
    budget: float | None = option(
        None, "Most to spend, in dollars, over all starts of this run.", group=ENGINE, at_least=0
    )
    yes: bool = option(
        False,
        "Do not ask before money is spent. With --budget nothing is asked either.",
        group=ENGINE,
        flag=True,
        advanced=True,
    )

    @property
    def asks(self) -> bool:
        """Whether to ask before money is spent."""
        return not self.yes and self.budget is None

    def engines(self) -> Engines:
        """The options as jobs take them."""
        from longway.jobs.engine_use import Engines

        given = dataclasses.asdict(self)
        del given["yes"]
        return Engines(**given)


@dataclasses.dataclass(frozen=True, slots=True)
class EngineOptions(ServerOptions):
    """Where an engine and its judge are, and what they may cost."""

    judge_base_url: str | None = option(
        None, "Address of the judge's server, if it is another.", group=ENGINE, rare=True
    )


SET_HELP = "A setting that few need. Repeatable. The settings are:"
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
# How the text of --set becomes a value, by its type, and what it must be.
_READERS: Mapping[type, tuple[Callable[[str], object], str]] = {
    bool: (_YES_NO.__getitem__, "yes or no"), int: (int, "a whole number"), float: (float, "a number"),
}  # fmt: skip


def typed(kind: type, given: Mapping[str, object]) -> list[str]:
    """Options of a class with these values, as a user types them; without those that are None."""
    rare = _rare(kind)
    values = [
        (name.replace("_", "-"), each)
        for name, value in given.items()
        for each in (value if isinstance(value, tuple) else (value,))
        if each is not None
    ]
    return [
        f"--set {quote(f'{name}={each}')}" if name in rare else f"--{name} {quote(str(each))}"
        for name, each in values
    ]


def _without_password(value: object) -> object:
    """The value; an address without the user and the password in it, which are never printed or written.

    >>> _without_password("https://me:secret@example.org/v1")
    'https://example.org/v1'
    """
    return re.sub(r"(?<=://)[^/\s]*@", "", value) if isinstance(value, str) else value


def _as_typed(context: Any, without: set[str]) -> list[str]:
    """The arguments and options of a command that were typed, arguments first."""
    arguments, options = [], []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        value = context.params.get(parameter.name)
        if source is None or source.name != "COMMANDLINE" or set(parameter.opts) & without:
            continue
        values = [_without_password(one) for one in (value if isinstance(value, list | tuple) else [value])]
        if parameter.param_type_name == "argument":
            arguments += [quote(str(one)) for one in values]
        elif isinstance(value, bool):
            options.append((parameter.opts if value else parameter.secondary_opts)[0])
        else:
            options += [f"{parameter.opts[0]} {quote(str(one))}" for one in values]
    return [*arguments, *options]


def _place(value: str | None) -> str | None:
    """The place of --on, checked before anything is read."""
    if value is not None:
        from longway.jobs.run import check_place

        check_place(value)
    return value


RAY_HELP = "Compute on Ray: ray for this machine, ray://HOST:PORT for a cluster. The result is the same."
On = Annotated[
    str | None,
    typer.Option(metavar="PLACE", help=RAY_HELP, hidden=True, rich_help_panel=OUTPUT, callback=_place),
]
DRY_RUN_HELP = (
    "Print rows, calls, tokens, cost and a rough time, and stop. Writes nothing and calls no server."
)
DryRun = Annotated[bool, typer.Option("--dry-run", help=DRY_RUN_HELP, rich_help_panel=OUTPUT)]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """The function as a typer command, its dataclass parameters as options, with `--help-all`."""
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    groups = {name: hints[name] for name in parameters if dataclasses.is_dataclass(hints[name])}
    own = [p.replace(annotation=hints[p.name]) for p in parameters.values() if p.name not in groups]
    shared = [p for group in groups.values() for p in _parameters(group)]
    rare = {name: each for group in groups.values() for name, each in _rare(group).items()}
    flat = [*own, *shared, *([_set_option(rare)] if rare else []), _HELP_ALL, _CONTEXT]

    @wraps(function)
    def run(**given: Any) -> None:
        given.pop("help_all")
        given["running"] = given.pop("context_of_command")
        given.update(_set_values(rare, given.pop("set", ())))
        made = {name: _made(group, given) for name, group in groups.items()}
        try:
            function(**made, **{p.name: given[p.name] for p in own})
        except ColumnError as error:
            if error.likely:
                error.command = OutputOptions(running=given["running"]).again(**error.likely)
            raise

    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in flat]
    )
    run.__annotations__ = {p.name: p.annotation for p in flat}
    return run


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field, field.metadata["option"]),
            annotation=_annotation(field.name, hints[field.name], field.metadata["option"]),
        )
        for field in dataclasses.fields(group)
        if "option" in field.metadata and not field.metadata["option"].rare
    ]


def _rare(group: Any) -> dict[str, tuple[Option, Any]]:
    """The rare options of a class by their names, with their types."""
    hints = get_type_hints(group)
    return {
        field.name.replace("_", "-"): (field.metadata["option"], _plain(hints[field.name]))
        for field in dataclasses.fields(group)
        if "option" in field.metadata and field.metadata["option"].rare
    }


def _set_option(rare: Mapping[str, tuple[Option, Any]]) -> inspect.Parameter:
    """`--set NAME=VALUE`; its help lists the rare options."""
    listed = [f"* `{name}`: {given.help}" for name, (given, _) in rare.items()]
    info = typer.Option("--set", help="\n\n".join([SET_HELP, *listed]), metavar="NAME=VALUE", hidden=True)
    return inspect.Parameter(
        "set", inspect.Parameter.KEYWORD_ONLY, default=[], annotation=Annotated[list[str], info]
    )


def _set_values(rare: Mapping[str, tuple[Option, Any]], texts: Sequence[str]) -> dict[str, object]:
    """The values given with `--set`, by the names of their fields."""
    values: dict[str, object] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in rare or not value:
            raise SettingError(
                f"--set takes NAME=VALUE, where NAME is one of {', '.join(rare)}. Got {text!r}."
            )
        kinds = (rare[name][1], *get_args(rare[name][1]))
        read, expected = next((each for kind, each in _READERS.items() if kind in kinds), (str, "text"))
        try:
            values[name.replace("-", "_")] = read(value)
        except (KeyError, ValueError):
            raise SettingError(f"--set {name} must be {expected}. Got {value!r}.") from None
    return values


def _default(field: Any, given: Option) -> object:
    if given.parse is None:
        return list(field.default) if isinstance(field.default, tuple) else field.default
    return field.default if isinstance(field.default, str) else None


def _annotation(name: str, kind: Any, given: Option) -> Any:
    names = [f" /--{given.off}" if given.off else f"--{(given.name or name).replace('_', '-')}"]
    if kind in (bool, bool | None) and not given.flag and not given.off:
        names[0] += f"/--no-{names[0].removeprefix('--')}"
    bounds: dict[str, Any] = {
        key: value
        for key, value in (("min", given.at_least), ("max", given.at_most))
        if value is not None and given.above is None  # the settings check bounds that are not included
    }
    depends = given.paper is not None
    info = typer.Option(
        *names,
        help=given.help,
        rich_help_panel=given.group,
        hidden=given.advanced,
        metavar=given.metavar,
        show_default=f"{given.usual}, with --paper {given.paper}" if depends else True,
        **bounds,
    )
    if given.parse is not None:
        return Annotated[str | None, info]
    return Annotated[_plain(kind) | None if depends else _plain(kind), info]


def _plain(kind: Any) -> Any:
    """The type as typer takes it: literals as strings (the settings check them), tuples as lists."""
    if get_origin(kind) is Literal:
        return str
    if get_origin(kind) is tuple:
        return list[get_args(kind)[0]]  # type: ignore[misc]
    if get_origin(kind) in (Union, UnionType):
        inner = [_plain(one) for one in get_args(kind) if one is not type(None)]
        return inner[0] | None if len(inner) == 1 else str | None
    return kind


def _made(group: Any, given: dict[str, Any]) -> Any:
    values: dict[str, Any] = {}
    for field in dataclasses.fields(group):
        if field.name not in given:
            continue
        value, parse = given[field.name], field.metadata.get("option", Option()).parse
        if parse is not None:
            value = field.default if value is None else parse(value)
        elif isinstance(field.default, tuple):
            value = tuple(value or ())
        values[field.name] = value
    return group(**values)


def _show_all(ctx: typer.Context, is_asked: bool) -> None:
    if is_asked:
        for parameter in ctx.command.params:
            parameter.hidden = False  # type: ignore[attr-defined]
        typer.echo(ctx.get_help())
        raise typer.Exit


_CONTEXT = inspect.Parameter("context_of_command", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
_HELP_ALL = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option("--help-all", help="Show all options.", is_eager=True, callback=_show_all, expose_value=True),
    ],
)  # fmt: skip
