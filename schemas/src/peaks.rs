//! Peaks of GPUs according to their vendors.
//!
//! Rates are those of dense matrix units where a device has them for the type, else of vector units; the vendors'
//! figures with structured sparsity are twice as high. Add a GPU with the title of the document that has its figures.

/// The data sheet of a GPU.
#[derive(Debug, PartialEq)]
pub struct Sheet {
    pub device: &'static str,
    /// Arithmetic operations per second, by element type of the operands.
    pub flops_per_s: &'static [(&'static str, f64)],
    /// Bytes per second of the device's memory.
    pub bytes_per_s: f64,
    /// The title of the document.
    pub source: &'static str,
}

/// The GPUs whose peaks are known.
pub const SHEETS: &[Sheet] = &[
    Sheet {
        // IREE sees each of the two dies as a device of its own, with half of the figures of the accelerator.
        device: "AMD Instinct MI250X (one die)",
        flops_per_s: &[
            ("f64", 47.85e12),
            ("f32", 47.85e12),
            ("f16", 191.5e12),
            ("bf16", 191.5e12),
            ("i8", 191.5e12),
        ],
        bytes_per_s: 1638.4e9,
        source: "AMD Instinct MI250X Accelerator Data Sheet",
    },
    Sheet {
        device: "AMD Instinct MI300X",
        flops_per_s: &[
            ("f64", 163.4e12),
            ("f32", 163.4e12),
            ("f16", 1307.4e12),
            ("bf16", 1307.4e12),
            ("f8E4M3FNUZ", 2614.9e12),
            ("f8E5M2FNUZ", 2614.9e12),
            ("i8", 2614.9e12),
        ],
        bytes_per_s: 5.3e12,
        source: "AMD Instinct MI300X Accelerator Data Sheet",
    },
    Sheet {
        device: "AMD Instinct MI325X",
        flops_per_s: &[
            ("f64", 163.4e12),
            ("f32", 163.4e12),
            ("f16", 1307.4e12),
            ("bf16", 1307.4e12),
            ("f8E4M3FNUZ", 2614.9e12),
            ("f8E5M2FNUZ", 2614.9e12),
            ("i8", 2614.9e12),
        ],
        bytes_per_s: 6e12,
        source: "AMD Instinct MI325X Accelerator Data Sheet",
    },
    Sheet {
        device: "AMD Radeon PRO W7900",
        flops_per_s: &[("f32", 61.3e12), ("f16", 122.6e12)],
        bytes_per_s: 864e9,
        source: "AMD Radeon PRO W7900 Product Specifications",
    },
    Sheet {
        device: "AMD Radeon RX 7900 XTX",
        flops_per_s: &[("f32", 61.4e12), ("f16", 122.8e12)],
        bytes_per_s: 960e9,
        source: "AMD Radeon RX 7900 XTX Product Specifications",
    },
    Sheet {
        device: "NVIDIA A100 SXM 80GB",
        flops_per_s: &[
            ("f64", 19.5e12),
            ("f32", 19.5e12),
            ("f16", 312e12),
            ("bf16", 312e12),
            ("i8", 624e12),
        ],
        bytes_per_s: 2039e9,
        source: "NVIDIA A100 Tensor Core GPU Datasheet",
    },
    Sheet {
        device: "NVIDIA H100 SXM",
        flops_per_s: &[
            ("f64", 67e12),
            ("f32", 67e12),
            ("f16", 989.4e12),
            ("bf16", 989.4e12),
            ("f8E4M3FN", 1978.9e12),
            ("f8E5M2", 1978.9e12),
            ("i8", 1978.9e12),
        ],
        bytes_per_s: 3.35e12,
        source: "NVIDIA H100 Tensor Core GPU Architecture and NVIDIA H100 Datasheet",
    },
    Sheet {
        device: "NVIDIA H200 SXM",
        flops_per_s: &[
            ("f64", 67e12),
            ("f32", 67e12),
            ("f16", 989.4e12),
            ("bf16", 989.4e12),
            ("f8E4M3FN", 1978.9e12),
            ("f8E5M2", 1978.9e12),
            ("i8", 1978.9e12),
        ],
        bytes_per_s: 4.8e12,
        source: "NVIDIA H200 Tensor Core GPU Datasheet",
    },
    Sheet {
        device: "NVIDIA L4",
        flops_per_s: &[
            ("f32", 30.3e12),
            ("f16", 121e12),
            ("bf16", 121e12),
            ("f8E4M3FN", 242.5e12),
            ("f8E5M2", 242.5e12),
            ("i8", 242.5e12),
        ],
        bytes_per_s: 300e9,
        source: "NVIDIA L4 Tensor Core GPU Datasheet (half of the figures with sparsity)",
    },
    Sheet {
        device: "NVIDIA L40S",
        flops_per_s: &[
            ("f32", 91.6e12),
            ("f16", 362.05e12),
            ("bf16", 362.05e12),
            ("f8E4M3FN", 733e12),
            ("f8E5M2", 733e12),
            ("i8", 733e12),
        ],
        bytes_per_s: 864e9,
        source: "NVIDIA L40S GPU Datasheet",
    },
    Sheet {
        // With accumulation in f32, as IREE does it.
        device: "NVIDIA GeForce RTX 4090",
        flops_per_s: &[
            ("f32", 82.6e12),
            ("f16", 165.2e12),
            ("bf16", 165.2e12),
            ("f8E4M3FN", 330.3e12),
            ("f8E5M2", 330.3e12),
            ("i8", 660.6e12),
        ],
        bytes_per_s: 1008e9,
        source: "NVIDIA Ada GPU Architecture (whitepaper)",
    },
];
