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

    jacobian = _Jacobian(residuals, np.array([[0.0, 1.0], [0.0, 1.0]]))

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


@pytest.mark.parametrize(
    "at, bounds, most",
    [
        (0.4, (0.1, 0.9), 1e-3),
        (0.9, (0.1, 0.9), 1e-3),  # at its bounds
        (0.1, (0.1, 0.9), 1e-3),
        (2e-3, (1e-4, 0.9), 4e-4),  # a step of 1e-3 would be half of it
        (1e-6, (1e-7, 0.9), 1e-4),
        (0.0, (0.0, 0.9), 1e-4),
        (0.3, (0.3, 0.3004), 2e-4),  # bounds closer than a step
        (0.3004, (0.3, 0.3004), 2e-4),
        (0.5, (0.3, 0.5), 1e-3),
    ],
)
def test_differences_of_a_known_map_stay_within_bounds_and_follow_the_value(at, bounds, most):
    runs = []

    def residuals(place):
        runs.append(place.copy())
        return np.array([np.log(place[0] + 1e-3), place[0] ** 2 + place[1]])

    jacobian = _Jacobian(residuals, np.array([bounds, (0.2, 0.8)]))
    place = np.array([at, 0.8])
    jacobian.noted(place, residuals(place))
    runs.clear()
    found = jacobian(place)
    moved = np.array(runs)[:, 0] - at
    assert 0.0 < abs(moved[0]) <= most * (1 + 1e-9) and moved[1] == 0.0
    assert bounds[0] <= runs[0][0] <= bounds[1]
    assert found[0, 0] == pytest.approx(1.0 / (at + 1e-3), rel=0.1)
    assert found[1] == pytest.approx([2 * at, 1.0], abs=1.1e-3)
