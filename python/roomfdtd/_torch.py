"""A data set's items as tensors; imported where torch is wanted, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ._samples import Samples


class TorchSamples(torch.utils.data.Dataset[dict[str, Any]]):  # type: ignore[misc]  # torch need not be installed
    """The items of :class:`Samples`: arrays are tensors, numbers and texts stay what they are."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> dict[str, Any]:
        item = self.samples[index]
        return {
            name: torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value
            for name, value in item.items()
        }
