"""An item-level mixed model: what a model, level, question, format or prompting adds, quantity held apart."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from pytest_redefine.analysis.measures import Context, Measure
from pytest_redefine.analysis.rows import Row

MIN_CASES: Final = 200
MIN_QUANTITIES: Final = 10
MIN_EACH: Final = 10
"""Of either outcome: with fewer there is nothing to divide among the terms."""

_PRIOR_SD: Final = 2.0
_FACTORS: Final = ("model", "redefinition", "question", "format", "prompting")


class NoFit(Exception):
    """The cases do not carry the model; one line that says why."""


@dataclass(frozen=True, slots=True)
class Term:
    """A fixed effect in log odds, against the factor's first level."""

    name: str
    effect: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MixedModel:
    """A logistic regression with random intercepts for each quantity and each quantity of each model."""

    terms: tuple[Term, ...]
    bases: Mapping[str, str]
    """Each factor's first level, which the others are measured against."""
    quantity_sd: float
    """Spread of the quantities, in log odds."""
    quantity_model_sd: float | None
    """Spread of the quantities from model to model; None for one model."""
    n: int
    quantities: int

    def to_json(self) -> dict[str, Any]:
        """Plain builtins."""
        return {**asdict(self), "terms": [asdict(term) for term in self.terms]}


def told(measure: Measure, rows: Iterable[Row], context: Context) -> dict[str, Any]:
    """The fitted model as plain data, or ``{"reason": ...}`` where there is none."""
    try:
        return {"measure": measure.name, **fit(measure, rows, context).to_json()}
    except NoFit as error:
        return {"measure": measure.name, "reason": str(error)}


def fit(measure: Measure, rows: Iterable[Row], context: Context) -> MixedModel:
    """Fit by variational Bayes (statsmodels' BinomialBayesMixedGLM, normal priors of sd 2); posterior intervals.

    A second for 700 cases of one model, two minutes for 50,000 of 19.
    Needs the extra ``analysis``.

    Raises:
        NoFit: too few cases, quantities or outcomes; no convergence; or statsmodels is not installed.
        ValueError: the measure is no share.
    """
    if not measure.share:
        raise ValueError(f"{measure.name} is no share")
    scored = measure.scores(rows, context)
    n, ones = len(scored), round(sum(score for _, score in scored))
    quantities = sorted({row.cluster for row, _ in scored})
    if n < MIN_CASES or len(quantities) < MIN_QUANTITIES or min(ones, n - ones) < MIN_EACH:
        raise NoFit(
            f"needs {MIN_CASES} cases of {MIN_QUANTITIES} quantities with {MIN_EACH} of either kind; there are {n} of "
            f"{len(quantities)} with {ones} and {n - ones}"
        )
    try:
        import numpy as np
        from scipy import sparse
        from statsmodels.genmod.bayes_mixed_glm import BinomialBayesMixedGLM
        from statsmodels.tools.sm_exceptions import ConvergenceWarning
    except ImportError:
        raise NoFit("statsmodels is not installed: pip install 'pytest-redefine[analysis]'") from None
    names, columns, bases = ["intercept"], [np.ones(n)], {}
    for factor in _FACTORS:
        levels = list(dict.fromkeys(getattr(row, factor) for row, _ in scored))
        bases[factor] = levels[0]
        for level in levels[1:]:
            names.append(f"{factor}={level}")
            columns.append(np.array([float(getattr(row, factor) == level) for row, _ in scored]))
    # A quantity may be hard for one model only: without the second kind, models' intervals would be far too narrow.
    kinds = [[row.cluster for row, _ in scored], [f"{row.cluster} {row.model}" for row, _ in scored]]
    if len(set(kinds[1])) == len(quantities):
        kinds.pop()
    groups = [{name: index for index, name in enumerate(dict.fromkeys(kind))} for kind in kinds]
    # Of 50,000 cases and 19 models the dense columns would take a quarter of a gigabyte, nearly all of it zeros.
    random_part = sparse.hstack(
        [
            sparse.csr_array((np.ones(n), (np.arange(n), [at[name] for name in kind])), shape=(n, len(at)))
            for at, kind in zip(groups, kinds, strict=True)
        ],
        format="csr",
    )
    fixed_part = np.column_stack(columns)
    kind_of_column = np.repeat(np.arange(len(groups)), [len(at) for at in groups])
    model = BinomialBayesMixedGLM(
        np.array([score for _, score in scored]),
        fixed_part,
        random_part,
        kind_of_column,
        vcp_p=1,
        fe_p=_PRIOR_SD,
        fep_names=names,
    )
    # The starting point is drawn; given one, the same records give the same figures.
    start = np.zeros(len(names) + len(groups) + len(kind_of_column))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            found = model.fit_vb(mean=start, sd=np.full(start.size, 0.5), minim_opts={"maxiter": 500})
        except ConvergenceWarning:
            raise NoFit(f"the fit to {n} cases has not settled after 500 steps") from None
    sds = np.exp(found.vcp_mean)
    # The variational posterior takes terms for independent, which makes models' intervals half as wide as they are:
    # so the curvature of the joint posterior at its mean.
    design = sparse.hstack([sparse.csr_array(fixed_part), random_part], format="csr")
    fitted = 1 / (1 + np.exp(-(design @ np.concatenate([found.fe_mean, found.vc_mean]))))
    prior = np.concatenate([np.full(len(names), 1 / _PRIOR_SD**2), 1 / sds[kind_of_column] ** 2])
    weighted = design.multiply((fitted * (1 - fitted))[:, None])
    errors = np.sqrt(np.diag(np.linalg.inv((design.T @ weighted).toarray() + np.diag(prior))))
    terms = tuple(
        Term(name, float(mean), float(mean - 1.96 * error), float(mean + 1.96 * error))
        for name, mean, error in zip(names, found.fe_mean, errors[: len(names)], strict=True)
    )
    between = float(sds[1]) if len(sds) > 1 else None
    return MixedModel(terms, bases, float(sds[0]), between, n, len(quantities))
