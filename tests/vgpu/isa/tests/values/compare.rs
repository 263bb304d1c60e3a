// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares, by the parts of their names: predicate and type.

use super::float::{operand, Format};
use super::vector::{In, Model};
use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::Category;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// Predicate and type of `v_cmp_lt_f32`.
fn parts(name: &str) -> Option<(&str, &str)> {
    let rest = name
        .strip_prefix("v_cmp_")
        .or_else(|| name.strip_prefix("v_cmpx_"))?;
    rest.rsplit_once('_')
}

fn floats(predicate: &str, order: Option<Ordering>) -> Option<bool> {
    Some(match predicate {
        "f" => false,
        "lt" => order == Some(Less),
        "eq" => order == Some(Equal),
        "le" => order == Some(Less) || order == Some(Equal),
        "gt" => order == Some(Greater),
        "lg" => order == Some(Less) || order == Some(Greater),
        "ge" => order == Some(Greater) || order == Some(Equal),
        "o" => order.is_some(),
        "u" => order.is_none(),
        "nge" => !(order == Some(Greater) || order == Some(Equal)),
        "nlg" => !(order == Some(Less) || order == Some(Greater)),
        "ngt" => order != Some(Greater),
        "nle" => !(order == Some(Less) || order == Some(Equal)),
        "neq" => order != Some(Equal),
        "nlt" => order != Some(Less),
        "tru" => true,
        _ => return None,
    })
}

fn integers(predicate: &str, order: Ordering) -> Option<bool> {
    Some(match predicate {
        "f" => false,
        "lt" => order == Less,
        "eq" => order == Equal,
        "le" => order != Greater,
        "gt" => order == Greater,
        "ne" => order != Equal,
        "ge" => order != Less,
        "t" => true,
        _ => return None,
    })
}

fn order<F: Format>(x: &In) -> Option<Ordering> {
    operand::<F>(x.src[0], x.mode).partial_cmp(&operand::<F>(x.src[1], x.mode))
}

/// Which of the ten classes a number has; MODE does not matter.
fn class<F: Format>(x: &In) -> bool {
    let a = F::from_bits(x.src[0]);
    let bit = match (a.category(), a.is_negative()) {
        (Category::NaN, _) if a.is_signaling() => 0,
        (Category::NaN, _) => 1,
        (Category::Infinity, true) => 2,
        (Category::Normal, true) if !a.is_denormal() => 3,
        (Category::Normal, true) => 4,
        (Category::Zero, true) => 5,
        (Category::Zero, false) => 6,
        (Category::Normal, false) if a.is_denormal() => 7,
        (Category::Normal, false) => 8,
        (Category::Infinity, false) => 9,
    };
    x.src[1] >> bit & 1 == 1
}

fn holds(name: &str, x: &In) -> bool {
    let (predicate, ty) = parts(name).unwrap();
    let answer = match (predicate, ty) {
        ("class", "f16") => Some(class::<Half>(x)),
        ("class", "f32") => Some(class::<Single>(x)),
        ("class", "f64") => Some(class::<Double>(x)),
        (_, "f16") => floats(predicate, order::<Half>(x)),
        (_, "f32") => floats(predicate, order::<Single>(x)),
        (_, "f64") => floats(predicate, order::<Double>(x)),
        _ => integers(predicate, x.int[0].cmp(&x.int[1])),
    };
    answer.unwrap()
}

pub(crate) fn model(name: &str) -> Option<Model> {
    let (predicate, ty) = parts(name)?;
    let known = match ty {
        "f16" | "f32" | "f64" => predicate == "class" || floats(predicate, None).is_some(),
        "i16" | "u16" | "i32" | "u32" | "i64" | "u64" => integers(predicate, Equal).is_some(),
        _ => false,
    };
    known.then_some(Model::Mask(holds))
}
