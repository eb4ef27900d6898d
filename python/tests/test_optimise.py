"""The Jacobian of a search by least squares."""

import numpy as np
import pytest
from roomfdtd._optimise import _Jacobian


def test_a_jacobian_follows_the_runs_of_a_search():
    runs = []

    def residuals(at):
        runs.append(at)
        return np.array([at[0] ** 2 + at[1], np.sin(at[1]), at[0] * at[1]])

    def slopes(at):
        return np.array([[2 * at[0], 1.0], [0.0, np.cos(at[1])], [at[1], at[0]]])

    middle = np.array([0.5, 0.5])
    jacobian = _Jacobian(residuals, middle)

    def at(place):
        jacobian.noted(place, residuals(place))
        runs.clear()
        return jacobian(place)

    a, b, c = np.array([0.9, 0.1]), np.array([0.3, 0.05]), np.array([0.31, 0.045])
    first = at(a)
    assert first == pytest.approx(slopes(a), abs=0.006)
    assert [np.sign(one - a).tolist() for one in runs] == [[-1, 0], [0, 1]]  # towards the middle
    second = at(b)
    assert runs == []  # the residuals have fallen
    assert second @ (b - a) == pytest.approx(residuals(b) - residuals(a), abs=1e-12)
    across = np.array([b[1] - a[1], a[0] - b[0]])
    assert second @ across == pytest.approx(first @ across, abs=1e-12)
    third = at(c)  # which has led to little
    assert len(runs) == 2
    assert third == pytest.approx(slopes(c), abs=0.006)
    jacobian.keep()
    assert np.array_equal(at(b), third)  # of another plan: residuals of the last say nothing
    assert runs == []
