//! Folding batch norm into convolutions.

use std::collections::BTreeMap;

use dz_network_file::{BATCH_NORM_EPSILON, TensorData};

/// From parameters and running statistics by name to the tensors of a network file: with
/// s = gamma / sqrt(variance + epsilon), a convolution's weight becomes s weight, its bias
/// beta - s mean. Worked out in 64 bits and rounded once.
pub(crate) fn fold(
    mut parameters: BTreeMap<String, TensorData>,
    statistics: &BTreeMap<String, TensorData>,
) -> BTreeMap<String, TensorData> {
    let layers: Vec<String> = parameters
        .keys()
        .filter_map(|name| name.strip_suffix(".gamma").map(str::to_owned))
        .collect();
    for layer in layers {
        let mut take = |part: &str| {
            parameters.remove(&format!("{layer}.{part}")).expect("batch norm has gamma and beta")
        };
        let gamma = take("gamma");
        let beta = take("beta");
        let mean = &statistics[&format!("{layer}.mean")].data;
        let variance = &statistics[&format!("{layer}.variance")].data;
        let scales: Vec<f64> =
            gamma.data.iter().zip(variance).map(|(&g, &v)| scale(g, v)).collect();
        let bias = beta.data.iter().zip(mean).zip(&scales);
        let bias = bias.map(|((&b, &m), s)| (f64::from(b) - s * f64::from(m)) as f32).collect();
        let weight =
            parameters.get_mut(&format!("{layer}.weight")).expect("a convolution has weights");
        let filter_len = weight.data.len() / scales.len();
        for (filter, s) in weight.data.chunks_exact_mut(filter_len).zip(&scales) {
            for w in filter {
                *w = (f64::from(*w) * s) as f32;
            }
        }
        parameters.insert(format!("{layer}.bias"), TensorData { shape: beta.shape, data: bias });
    }
    parameters
}

fn scale(gamma: f32, variance: f32) -> f64 {
    f64::from(gamma) / (f64::from(variance) + BATCH_NORM_EPSILON).sqrt()
}
