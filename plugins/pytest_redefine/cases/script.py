"""A case → the messages that a model gets, with the options and the worked examples that it needs."""

from __future__ import annotations

from .answers import Answers
from .examples import Examples
from .model import Case
from .options import Layouts, Options, letter_of
from .prompts import Prompts
from .wording import (
    Message,
    answer_text,
    asked_unit,
    lay_out,
    messages,
    options_text,
    question_text,
    redefinition_text,
)


class Script:
    """How the cases of one catalogue are put."""

    def __init__(self, answers: Answers, prompts: Prompts, examples: Examples | None = None) -> None:
        self._answers = answers
        self._catalogue = answers.catalogue
        self._prompts = prompts
        self._examples = examples
        self._layouts = Layouts(answers)

    def options(self, case: Case) -> Options | None:
        """The options of a case of multiple choice.

        Raises:
            DataError: No four options can be told apart.
        """
        return self._layouts.options(case) if case.format == "mc" else None

    def messages(self, case: Case) -> list[Message]:
        """The messages of a case's first request.

        Raises:
            DataError: Something in the data keeps the case from being put.
        """
        return messages(
            case,
            self._catalogue,
            self._prompts,
            options=self._options_text(case, self.options(case)),
            examples=self._worked(case) if case.prompting == "fs" else "",
        )

    def _worked(self, case: Case) -> str:
        if self._examples is None:  # the file is read by those who need it
            self._examples = Examples.load(self._catalogue)
        shown = self._examples.pick(case)
        letters = self._examples.letters(case)
        return "\n\n".join(self._example(one, letter) for one, letter in zip(shown, letters, strict=True))

    def _example(self, case: Case, letter: str) -> str:
        expected = self._answers.of(case.task, case.quantity, case.level, case.question).expected
        options = self._layouts.options_with(case, letter) if case.format == "mc" else None
        answer = letter_of(options, expected) if options else answer_text(expected, asked_unit(case, self._catalogue))
        parts = {
            "redefinition": redefinition_text(case, self._catalogue, self._prompts),
            "question": question_text(case, self._catalogue),
            "options": self._options_text(case, options),
            "marker": self._prompts.marker,
            "answer": answer,
        }
        return lay_out(self._prompts.example[case.format], parts)

    def _options_text(self, case: Case, options: Options | None) -> str:
        if options is None:
            return ""
        kind = self._catalogue.question(case).kind
        return options_text(options, kind, asked_unit(case, self._catalogue), self._prompts)
