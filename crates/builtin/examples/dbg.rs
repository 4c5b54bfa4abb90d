//! dbg
#![allow(clippy::print_stdout)]
#[path = "../tests/reports/desk.rs"]
#[allow(dead_code)]
mod desk;
fn main(){ for p in std::env::args().skip(1) { let t=String::from_utf8_lossy(&std::fs::read(&p).unwrap()).into_owned();
 let d=desk::Desk::new("Task", jiff::civil::date(2025,7,10)).entry(&t);
 let (tldr,content)=d.report().unwrap();
 println!("{}", serde_json::json!({"path":p,"tldr":tldr,"content":content,"src":t})); } }
