/* Headings and tables of the guide, by which rows say where they come from. A row that is none of the guide's names
 * another document. */
#ifndef NPU__VENDOR_MDLA_SECTIONS_H
#define NPU__VENDOR_MDLA_SECTIONS_H

#define NPU__MDLA_S_VERSIONS "MDLA version mapping"
#define NPU__MDLA_S_CONVERSION "Data Conversion Overhead"
#define NPU__MDLA_S_TYPES "Data type support matrix"
#define NPU__MDLA_S_LAYOUT "Data Layout Optimization"
#define NPU__MDLA_S_LAYOUTS "MDLA Tensor Layouts"
#define NPU__MDLA_S_OPS "TFLite operations"
#define NPU__MDLA_S_CUSTOM "MTK custom operations"
#define NPU__MDLA_S_CONV "Op convolution uRate"
#define NPU__MDLA_S_MATH "Math operation throughput"
#define NPU__MDLA_S_POOL "MDLA pool operation throughput"
#define NPU__MDLA_S_RESIZE "MDLA BLE RESIZE Operation Throughput"
#define NPU__MDLA_S_GROUPS "Operation groups"
#define NPU__MDLA_S_FUSION "Fusion rules by MDLA version"
#define NPU__MDLA_S_SWITCH "Device Switch Overhead"
#define NPU__MDLA_S_SYNC "Data synchronization overhead"
#define NPU__MDLA_S_DYNAMIC "Dynamic Shape"
#define NPU__MDLA_S_FLOW "Control Flow"
#define NPU__MDLA_S_CHANNEL "Per-channel quantization support"
#define NPU__MDLA_S_MIXED "Mixed Precision Quantization (8/16-bit)"
#define NPU__MDLA_S_HYBRID "Hybrid Quantization"
#define NPU__MDLA_S_NOTES20 "MDLA 2.0 Guidelines"
#define NPU__MDLA_S_NOTES30 "MDLA 3.0 Guidelines"

#endif
