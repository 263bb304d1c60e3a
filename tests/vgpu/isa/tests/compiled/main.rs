// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels as the distribution's HIP compiler emits them, executed and compared with the host.

#[path = "../support/mod.rs"]
mod support;

mod dispatch;
mod object;

use dispatch::{dispatch, Launch};
use object::{compile, Object};
use support::{Flat, DATA};

/// Where the tests keep their arrays, relative to `DATA`.
const HEAP: usize = 0x20_0000;

/// A memory with the kernels, and a heap.
struct Device {
    object: Object,
    memory: Flat,
    top: usize,
}

/// The address of an array on the device and where that is in the data.
#[derive(Clone, Copy)]
struct Array {
    va: u64,
    at: usize,
}

impl Device {
    fn new(elf: &[u8]) -> Self {
        let mut memory = Flat::new(&[], 16 << 20);
        let object = Object::load(elf, &mut memory);
        Self {
            object,
            memory,
            top: HEAP,
        }
    }

    fn array(&mut self, bytes: impl IntoIterator<Item = u8>) -> Array {
        let at = self.top;
        let mut end = at;
        for byte in bytes {
            self.memory.data[end] = byte;
            end += 1;
        }
        self.top = end.next_multiple_of(256);
        Array {
            va: DATA + at as u64,
            at,
        }
    }

    fn zeros(&mut self, bytes: usize) -> Array {
        self.array(std::iter::repeat_n(0, bytes))
    }

    fn u32s(&self, array: Array, count: usize) -> Vec<u32> {
        (0..count).map(|i| self.memory.dword(array.at + i * 4)).collect()
    }

    fn f32s(&self, array: Array, count: usize) -> Vec<f32> {
        self.u32s(array, count).into_iter().map(f32::from_bits).collect()
    }

    fn u64s(&self, array: Array, count: usize) -> Vec<u64> {
        (0..count).map(|i| self.memory.qword(array.at + i * 8)).collect()
    }

    fn f64s(&self, array: Array, count: usize) -> Vec<f64> {
        self.u64s(array, count).into_iter().map(f64::from_bits).collect()
    }

    fn launch(&mut self, kernel: &str, groups: [u32; 3], size: [u32; 3], arguments: &[u64]) {
        let arguments: Vec<u8> = arguments.iter().flat_map(|a| a.to_le_bytes()).collect();
        let launch = Launch {
            kernel,
            groups,
            size,
            arguments: &arguments,
        };
        dispatch(&self.object, &mut self.memory, &launch);
    }
}

fn bytes<T, const N: usize>(items: impl IntoIterator<Item = T>, f: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    items.into_iter().flat_map(f).collect()
}

/// A repeatable number for `i`.
fn noise(i: usize) -> u32 {
    (i as u32)
        .wrapping_mul(0x9e37_79b9)
        .rotate_left(13)
        .wrapping_mul(0x85eb_ca6b)
}

#[test]
fn optimised() {
    all(&compile(include_str!("kernels.hip"), "-O3"));
}

/// Those kernels whose code is right: at -O0 clang 17 may reload vector registers ahead of the instruction that turns lanes on
/// again (LLVM pull request 69924), so that these lanes go on with stale ones, in any hardware. Where it does: `shuffle`,
/// `pointers`, `atomics`, and of `math` in `__ocml_fmod`, `__ocml_pow` and `__ocmlpriv_trigred` of both precisions
/// (`llvm-objdump` shows `v_accvgpr_read_b32` right before `s_or_b64 exec, exec`).
#[test]
fn unoptimised() {
    let elf = compile(include_str!("kernels.hip"), "-O0");
    for kernel in [vector_add, reduce, scratch, divide, halves] {
        kernel(Device::new(&elf));
    }
}

#[test]
fn lightly_optimised() {
    all(&compile(include_str!("kernels.hip"), "-O1"));
}

fn all(elf: &[u8]) {
    let device = || Device::new(elf);
    vector_add(device());
    reduce(device());
    shuffle(device());
    multiply(device());
    scratch(device());
    divide(device());
    math(device());
    halves(device());
    pointers(device());
    atomics(device());
}

fn vector_add(mut d: Device) {
    let n = 1000;
    let (x, y) = (
        |i: usize| noise(i) as f32 / 3.0,
        |i: usize| noise(i + n) as f32 * 1e-5,
    );
    let a = d.array(bytes((0..n).map(x), f32::to_le_bytes));
    let b = d.array(bytes((0..n).map(y), f32::to_le_bytes));
    let c = d.zeros(1024 * 4);
    d.launch(
        "vector_add",
        [4, 1, 1],
        [256, 1, 1],
        &[a.va, b.va, c.va, n as u64],
    );
    let got = d.f32s(c, 1024);
    for (i, got) in got.iter().enumerate() {
        assert_eq!(*got, if i < n { x(i) + y(i) } else { 0.0 }, "element {i}");
    }
}

fn reduce(mut d: Device) {
    let n = 5000;
    let a = d.array(bytes((0..n).map(noise), u32::to_le_bytes));
    let out = d.zeros(4);
    d.launch("reduce", [3, 1, 1], [256, 1, 1], &[a.va, out.va, n as u64]);
    let want = (0..n).map(noise).fold(0, u32::wrapping_add);
    assert_eq!(d.u32s(out, 1), [want]);
}

fn shuffle(mut d: Device) {
    let value = |i: usize| noise(i) % 1000;
    let a = d.array(bytes((0..128).map(value), u32::to_le_bytes));
    let (sum, dsum, out) = (d.zeros(4), d.zeros(8), d.zeros(512));
    d.launch(
        "shuffle",
        [1, 1, 1],
        [128, 1, 1],
        &[a.va, sum.va, dsum.va, out.va],
    );
    let want: u32 = (0..128).map(value).sum();
    assert_eq!(d.f32s(sum, 1), [want as f32]);
    assert_eq!(d.f64s(dsum, 1), [f64::from(want)]);
    for (i, got) in d.u32s(out, 128).into_iter().enumerate() {
        let wave = i & !63;
        let odd = (wave..wave + 64).filter(|j| value(*j) & 1 != 0).count() as u32;
        let down = if i % 64 + 3 < 64 { value(i + 3) } else { value(i) };
        assert_eq!(got, odd + down + value(wave + 5) * 1000, "lane {i}");
    }
}

fn multiply(mut d: Device) {
    let n = 32;
    let value = |i: usize| f64::from(noise(i) % 64) - 31.5;
    let a = d.array(bytes((0..n * n).map(|i| value(i) as f32), f32::to_le_bytes));
    let b = d.array(bytes(
        (0..n * n).map(|i| value(i + 5000) as f32),
        f32::to_le_bytes,
    ));
    let c = d.zeros(n * n * 4);
    d.launch(
        "multiply_float",
        [2, 2, 1],
        [16, 16, 1],
        &[a.va, b.va, c.va, n as u64],
    );
    let x = d.array(bytes((0..n * n).map(value), f64::to_le_bytes));
    let y = d.array(bytes((0..n * n).map(|i| value(i + 5000)), f64::to_le_bytes));
    let z = d.zeros(n * n * 8);
    d.launch(
        "multiply_double",
        [2, 2, 1],
        [16, 16, 1],
        &[x.va, y.va, z.va, n as u64],
    );
    let (float, double) = (d.f32s(c, n * n), d.f64s(z, n * n));
    for i in 0..n * n {
        // exact in both precisions
        let want: f64 = (0..n)
            .map(|k| value(i / n * n + k) * value(k * n + i % n + 5000))
            .sum();
        assert_eq!((f64::from(float[i]), double[i]), (want, want), "element {i}");
    }
}

fn scratch(mut d: Device) {
    let n = 100;
    let input = |i: usize| noise(i) as i32;
    let a = d.array(bytes((0..64 * 64).map(input), i32::to_le_bytes));
    let out = d.zeros(64 * 4);
    d.launch("scratch", [1, 1, 1], [64, 1, 1], &[a.va, out.va, n as u64]);
    for (t, got) in d.u32s(out, 64).into_iter().enumerate() {
        let mut a: Vec<i32> = (0..64).map(|i| input(i * 64 + t)).collect();
        for k in 0..n {
            let j = (input(k) & 63) as usize;
            a[j] = a[(j * 7 + k) & 63].wrapping_mul(3).wrapping_add(k as i32);
        }
        let want = a
            .iter()
            .enumerate()
            .fold(0i32, |s, (i, v)| s.wrapping_add(v.wrapping_mul(i as i32 + 1)));
        assert_eq!(got as i32, want, "thread {t}");
    }
}

fn divide(mut d: Device) {
    let a = |i: usize| (i64::from(noise(i)) << 31 ^ i64::from(noise(i + 64))) - (1 << 61);
    let b = |i: usize| match i % 4 {
        0 => i64::from(noise(i + 128)) - (1 << 31) | 1,
        1 => i64::from(noise(i + 128) & 0xff) + 1,
        2 => a(i + 100) | 1,
        _ => -7,
    };
    let x = d.array(bytes((0..64).map(a), i64::to_le_bytes));
    let y = d.array(bytes((0..64).map(b), i64::to_le_bytes));
    let (q, r, h) = (d.zeros(512), d.zeros(256), d.zeros(128));
    d.launch("divide", [1, 1, 1], [64, 1, 1], &[x.va, y.va, q.va, r.va, h.va]);
    let (quotients, results) = (d.u64s(q, 64), d.u32s(r, 64));
    for i in 0..64 {
        let (a, b) = (a(i), b(i));
        assert_eq!(quotients[i] as i64, (a / b).wrapping_add(a % b), "{a} by {b}");
        let (x, y) = (a as u32, b as u32 | 1);
        let high = (u64::from(x) * u64::from(y) >> 32) as u32;
        let parts = [
            x / y,
            x % y,
            x.count_ones(),
            y.leading_zeros(),
            x.reverse_bits(),
            high,
        ];
        assert_eq!(
            results[i],
            parts.into_iter().fold(0, u32::wrapping_add),
            "{x} by {y}"
        );
        let (s, t) = (a as i16, (b | 1) as i16);
        let want = (i32::from(s) / i32::from(t)) as i16;
        let want = want.wrapping_add(s.wrapping_mul(b as i16));
        let got = i16::from_le_bytes(d.memory.data[h.at + i * 2..h.at + i * 2 + 2].try_into().unwrap());
        assert_eq!(got, want, "{s} by {t}");
    }
}

/// Units in the last place that the device library's functions may be off (OpenCL's limits, doubled for the host).
const ULPS: f64 = 32.0;

fn math(mut d: Device) {
    let n = 64;
    let x = |i: usize| f64::from(noise(i)) / 1e9 + 1e-3;
    let a = d.array(bytes((0..n).map(x), f64::to_le_bytes));
    let b = d.array(bytes((0..n).map(|i| x(i) as f32), f32::to_le_bytes));
    let (double, float) = (d.zeros(9 * n * 8), d.zeros(9 * n * 4));
    d.launch(
        "math",
        [1, 1, 1],
        [64, 1, 1],
        &[a.va, double.va, b.va, float.va, n as u64],
    );
    let (double, float) = (d.f64s(double, 9 * n), d.f32s(float, 9 * n));
    let functions: [fn(f64) -> f64; 9] = [
        f64::sqrt,
        |v| 1.0 / v,
        f64::sin,
        f64::exp,
        f64::ln,
        |v| v.powf(1.5),
        |v| v % 0.7,
        f64::tan,
        |v| v.floor() + v.ceil() + v.round_ties_even(),
    ];
    for (k, f) in functions.iter().enumerate() {
        for i in 0..n {
            let want = f(x(i));
            let off = (double[k * n + i] - want).abs() / (want.abs() * f64::EPSILON);
            assert!(
                off <= ULPS,
                "function {k} of {}: {} instead of {want}",
                x(i),
                double[k * n + i]
            );
            let y = x(i) as f32;
            let want = if k == 6 {
                f64::from(y % 0.7f32)
            } else {
                f(y.into())
            };
            let got = f64::from(float[k * n + i]);
            let off = (got - want).abs() / (want.abs() * f64::from(f32::EPSILON));
            assert!(off <= ULPS, "function {k} of {y}: {got} instead of {want}");
            // square root and quotient are exactly rounded by default
            if k < 2 {
                assert_eq!(double[k * n + i], f(x(i)), "function {k} of {}", x(i));
            }
        }
    }
}

fn halves(mut d: Device) {
    // small numbers, so that every result is exact
    let half = |v: f32| -> [u8; 2] {
        let bits = v.to_bits();
        if v == 0.0 {
            return ((bits >> 16) as u16).to_le_bytes();
        }
        let exponent = ((bits >> 23 & 0xff) as i32 - 127 + 15) as u32;
        ((bits >> 16 & 0x8000 | exponent << 10 | bits >> 13 & 0x3ff) as u16).to_le_bytes()
    };
    let a = |i: usize| (i as f32 - 30.0) / 4.0;
    let b = |i: usize| [1.0, 2.0, -4.0, 0.5][i % 4];
    let x = d.array(bytes((0..64).map(a), half));
    let y = d.array(bytes((0..64).map(b), half));
    let out = d.zeros(256);
    let p = |i: usize| [b(i), a(i % 64), 3.0][i / 128];
    let packed = d.array(bytes((0..384).map(|i| p(i % 384)), half));
    let q = d.zeros(256);
    d.launch(
        "halves",
        [1, 1, 1],
        [64, 1, 1],
        &[x.va, y.va, out.va, packed.va, q.va],
    );
    let at = |array: Array, i: usize| {
        [
            d.memory.data[array.at + i * 2],
            d.memory.data[array.at + i * 2 + 1],
        ]
    };
    for i in 0..64 {
        assert_eq!(at(out, i), half(a(i) * b(i) + a(i)), "product {i}");
        assert_eq!(at(out, i + 64), half(a(i) / b(i)), "quotient {i}");
        for j in [i * 2, i * 2 + 1] {
            assert_eq!(at(q, j), half(p(j) * p(j + 128) + p(j + 256)), "packed {j}");
        }
    }
}

fn pointers(mut d: Device) {
    for which in 0..2u32 {
        let p = d.array(bytes((0..128).map(|i| i as u32), u32::to_le_bytes));
        d.launch("pointers", [1, 1, 1], [64, 1, 1], &[p.va, which.into()]);
        let got = d.u32s(p, 128);
        for i in 0..64u32 {
            let called = if which == 0 { i * 2 } else { i + 1 };
            let (own, shared) = match i % 3 {
                0 => (0, 100),
                1 => (100, 0),
                _ => (0, 100),
            };
            assert_eq!(got[i as usize], called + own, "lane {i}");
            assert_eq!(got[i as usize + 64], i * 10 + 11 + shared, "lane {i}");
        }
    }
}

fn atomics(mut d: Device) {
    let initial = [3, 40, 0, 0, u32::MAX, 0, 0, 10, 999];
    let p = d.array(bytes(initial, u32::to_le_bytes));
    let q = d.zeros(16);
    d.launch("atomics", [1, 1, 1], [64, 1, 1], &[p.va, q.va]);
    let got = d.u32s(p, 9);
    // 64 steps of a counter with period 10, up from 0 and down from 0
    assert_eq!(got[..7], [63, 0, 4, 6, 0, u32::MAX, 0]);
    // the compare-and-swap succeeds from lane 10 on
    assert_eq!(got[7..], [64, 63]);
    assert_eq!(d.u64s(q, 2), [(63 * 64 / 2) << 20, 63 << 40]);
}
