//! Text: patterns, words, markup, source code.

use logos::Logos;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::data::{hash, text};
use crate::kernel::{Kernel, Work};

pub(crate) const KERNELS: &[Kernel] = &[
    Kernel::rust("regex", prepare_regex, 0xeef5_8da3_b44d_2139),
    Kernel::rust("aho-corasick", prepare_aho_corasick, 0x8d7_bdbb_988f_2a9b),
    Kernel::rust("unicode-segmentation", prepare_segmentation, 0x202d_e220_8341_591d),
    Kernel::rust("markdown", prepare_markdown, 0x8fa9_aa4d_0bf3_c942),
    Kernel::rust("logos", prepare_logos, 0x6c53_ea94_ac03_dd0d),
    Kernel::rust("syn", prepare_syn, 80),
    Kernel::rust("winnow", prepare_winnow, 0x3fd_0b91),
    Kernel::rust("template", prepare_template, 0x61bd_1b75_336e_97f1),
];

fn prepare_regex() -> Work {
    let text = text(300_000);
    let regex =
        regex::Regex::new(r"(\b[a-z]+lith[a-z]*)\s+(\d{2}-\d{4})|qui(ka|to)+").expect("the pattern is valid");
    Box::new(move || {
        regex.captures_iter(&text).fold(0, |sum, captures| {
            let parts = captures.iter().flatten();
            parts.fold(sum, |sum: u64, part| sum.wrapping_mul(31) + part.as_str().len() as u64)
        })
    })
}

fn prepare_aho_corasick() -> Work {
    let text = text(400_000);
    let words: Vec<&str> =
        ["lith", "quison", "tarwen", "mika", "berun", "delosto", "ixix", "ranran", "0042"].to_vec();
    let automaton = aho_corasick::AhoCorasick::new(words).expect("few words make a small automaton");
    Box::new(move || {
        let matches = automaton.find_overlapping_iter(&text);
        matches.fold(0, |sum: u64, found| {
            sum.wrapping_mul(31).wrapping_add((found.start() * 16 + found.pattern().as_usize()) as u64)
        })
    })
}

fn prepare_segmentation() -> Work {
    let text = text(20_000)
        .replace("ka", "k\u{e4}\u{301}")
        .replace("un", "\u{1f469}\u{200d}\u{1f680}")
        .replace("os", "\u{1112}\u{1161}\u{11ab}");
    Box::new(move || {
        let graphemes =
            text.graphemes(true).fold(0, |sum: u64, grapheme| sum.wrapping_mul(31) + grapheme.len() as u64);
        graphemes.wrapping_mul(1_000_003) ^ text.unicode_words().count() as u64
    })
}

fn prepare_markdown() -> Work {
    let words = text(40_000);
    let paragraph = |(index, line): (usize, &str)| match index % 5 {
        0 => format!("# {line}\n\n"),
        1 => format!("* **{line}**\n* [link](http://example.org/{index})\n\n"),
        2 => format!("> {line}\n\n```\n{line}\n```\n\n"),
        3 => format!("1. `{line}`\n2. *{line}* & more\n\n"),
        _ => format!("{line}\n\n"),
    };
    let source: String = words.lines().enumerate().map(paragraph).collect();
    Box::new(move || {
        let mut html = String::new();
        pulldown_cmark::html::push_html(&mut html, pulldown_cmark::Parser::new(&source));
        hash(html.bytes())
    })
}

/// Rust source with many kinds of items; `NAME` stands for a word.
const ITEMS: &str = r##"
/// Documentation of [`NAME`].
#[derive(Clone, Debug, PartialEq)]
pub struct NAME<'a, T: Copy + 'a> where T: Into<u64> { pub left: Option<&'a T>, right: Vec<(usize, T)>, rest: [u8; 16] }

impl<'a, T: Copy + Into<u64>> NAME<'a, T> {
    pub const LIMIT: usize = 1 << 12 | 0x_ff;

    pub fn sum(&self, scale: impl Fn(T) -> u64) -> Result<u64, std::fmt::Error> {
        let mut total = 0u64;
        for (index, value) in self.right.iter().enumerate().filter(|(index, _)| index % 2 == 0) {
            total = match value.1.into() {
                0 => continue,
                small @ 1..=9 if small as usize != index => total + small * 3,
                large => total.checked_add(large >> (index & 7)).ok_or(std::fmt::Error)?,
            };
        }
        if let Some(left) = self.left && total > 10 { total ^= scale(*left) } else { return Ok(total) }
        println!("{total:>8} of {}", Self::LIMIT);
        Ok(unsafe { std::mem::transmute::<i64, u64>(-(total as i64)) })
    }
}

enum KindOfNAME { Empty, One(u32), Many { values: Box<dyn Iterator<Item = char> + Send>, name: &'static str } }
macro_rules! make_NAME { ($($value:expr),* $(,)?) => { [$($value.to_string()),*] }; }
"##;

#[derive(Logos, Clone, Copy, Debug, PartialEq)]
#[logos(skip r"[ \t\r\n]+")]
enum Token {
    #[regex(r"//[^\n]*", allow_greedy = true)]
    Comment,
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex(r"[0-9][0-9a-zA-Z_]*(\.[0-9]+)?")]
    Number,
    #[regex(r#""([^"\\]|\\.)*""#)]
    Text,
    #[regex(r"[-+*/%=<>!&|^.,:;?#'~@$]")]
    Sign,
    #[regex(r"[\[\](){}]")]
    Bracket,
}

fn prepare_logos() -> Work {
    // Fixed text: the answer must not change with this crate's source.
    let source = text(500_000)
        .replace(" ka", " fn ka(")
        .replace(" to", ") { \"to\" + ")
        .replace(" mi", " 0x1f; // mi");
    Box::new(move || {
        let mut lexer = Token::lexer(&source);
        let mut sum = 0u64;
        while let Some(token) = lexer.next() {
            let kind = token.map_or(99, |token| token as u64);
            sum = sum.wrapping_mul(31).wrapping_add(kind * 1_000 + lexer.slice().len() as u64);
        }
        sum
    })
}

fn prepare_syn() -> Work {
    let source: String = (0..20).map(|item| ITEMS.replace("NAME", &format!("Name{item}"))).collect();
    Box::new(move || match syn::parse_file(&source) {
        Ok(file) => file.items.len() as u64,
        Err(_) => 0,
    })
}

fn prepare_winnow() -> Work {
    let numbers = text(54_010);
    let terms = numbers.bytes().enumerate().map(|(index, byte)| match index % 9 {
        0 => format!("({byte}*"),
        1 => format!("{byte}+"),
        2 => format!("{byte})-"),
        _ => format!("{}+", u32::from(byte) * index as u32 % 1_000),
    });
    let expression: String = terms.take(9 * 6_000).chain(["7".into()]).collect();
    Box::new(move || expression::value(&expression).map_or(0, |value| value as u64))
}

/// Sums, products and brackets.
mod expression {
    use winnow::Parser as _;
    use winnow::ascii::digit1;
    use winnow::combinator::{alt, delimited, repeat};
    use winnow::error::ContextError;
    use winnow::token::one_of;

    type Result<T> = winnow::Result<T, ContextError>;

    pub(super) fn value(text: &str) -> Option<i64> {
        sum.parse(text).ok()
    }

    fn sum(input: &mut &str) -> Result<i64> {
        let first = product(input)?;
        let fold = move || first;
        repeat(0.., (one_of(['+', '-']), product))
            .fold(
                fold,
                |sum: i64, (sign, value): (char, i64)| {
                    if sign == '+' { sum.wrapping_add(value) } else { sum.wrapping_sub(value) }
                },
            )
            .parse_next(input)
    }

    fn product(input: &mut &str) -> Result<i64> {
        let first = atom(input)?;
        let fold = move || first;
        repeat(0.., ('*', atom))
            .fold(fold, |product: i64, (_, value): (char, i64)| product.wrapping_mul(value))
            .parse_next(input)
    }

    fn atom(input: &mut &str) -> Result<i64> {
        alt((digit1.parse_to(), delimited('(', sum, ')'))).parse_next(input)
    }
}

#[derive(serde::Serialize)]
struct Page {
    title: String,
    rows: Vec<Row>,
}

#[derive(serde::Serialize)]
struct Row {
    name: String,
    count: usize,
    is_new: bool,
}

fn prepare_template() -> Work {
    const TEMPLATE: &str = "<h1>{title}</h1>{{ for row in rows }}<p id=\"{row.count}\">\
        {{ if row.is_new }}<b>{row.name}</b>{{ else }}{row.name}{{ endif }}</p>{{ endfor }}";
    let row = |(count, name): (usize, &str)| Row { name: format!("<{name}>"), count, is_new: count % 3 == 0 };
    let rows = text(20_000).split_whitespace().enumerate().map(row).collect();
    let page = Page { title: "A & B".into(), rows };
    let mut templates = tinytemplate::TinyTemplate::new();
    templates.add_template("page", TEMPLATE).expect("the template is valid");
    Box::new(move || templates.render("page", &page).map_or(0, |html| hash(html.bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_have_their_value() {
        assert_eq!(expression::value("2*(3+4)-5*2"), Some(4));
        assert_eq!(expression::value("2*"), None);
    }

    #[test]
    fn tokens_are_told_apart() {
        let tokens: Vec<_> = Token::lexer("fn x1() { 0x1f + \"a\\\"b\" } // end").flatten().collect();
        use Token::*;
        assert_eq!(tokens, [Word, Word, Bracket, Bracket, Bracket, Number, Sign, Text, Bracket, Comment]);
    }
}
