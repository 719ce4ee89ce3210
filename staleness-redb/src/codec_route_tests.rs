//! The bytes of routes, vectors and suggestions.

use staleness_core::ids::ModelId;
use staleness_core::route::{
    Confidence, MAX_DIMENSIONS, MAX_OPS, Precision, Prompted, Route, RouteId, RouteKey,
    RouteVector, Suggestions, Vector,
};
use staleness_core::session::SessionKey;
use wincode::config::Configuration;

use super::*;

fn route_key() -> RouteKey {
    RouteKey { project: project_id(), tool: ToolName::new("t").unwrap(), id: RouteId(1) }
}

fn the_route() -> Route {
    Route {
        key: route_key(),
        query: "q".into(),
        confidence: Confidence::new(0.95).unwrap(),
        uses: 251,
        created_at: at(-1),
        last_used_at: at(1),
        model: Some(ModelId::new("m").unwrap()),
        ops: vec![2, 3],
    }
}

fn the_vector() -> RouteVector {
    let vector = Vector::new(&[3.0, -4.0], Precision::F32).unwrap();
    RouteVector { key: route_key(), model: ModelId::new("m").unwrap(), vector }
}

fn the_suggestions() -> Suggestions {
    let key = SessionKey { project: project_id(), id: SessionId::new("s").unwrap() };
    let prompt = Prompted { at: at(0), query: None, tools: Vec::new(), taught: Vec::new() };
    Suggestions { key, made: 2, prompts: vec![prompt] }
}

const ROUTE: &str = "72010171fc80d99f38fbfb00010201016d020203";
const VECTOR: &str = "7601016d00089a99193fcdcc4cbf";
const SUGGESTIONS: &str = "6701021f5b7b226174223a22313937302d30312d30315430303a30303a30305a227d5d";

#[test]
fn version_1_has_these_bytes_and_is_read_as_ever() {
    assert_eq!(shown(&encode_route(&the_route()).unwrap()), ROUTE);
    assert_eq!(shown(&encode_vector(&the_vector()).unwrap()), VECTOR);
    assert_eq!(shown(&encode_suggestions(&the_suggestions()).unwrap()), SUGGESTIONS);
    assert_eq!(decode_route(route_key(), &bytes(ROUTE)), Ok(the_route()));
    assert_eq!(decode_vector(route_key(), &bytes(VECTOR)), Ok(the_vector()));
    let read = decode_suggestions(the_suggestions().key, &bytes(SUGGESTIONS));
    assert_eq!(read, Ok(the_suggestions()));
}

/// As another program would read them, by structs that share nothing with ours.
#[test]
fn another_reader_reads_the_same() {
    #[derive(Debug, PartialEq, wincode::SchemaRead, wincode::SchemaWrite)]
    struct Learned {
        query: String,
        confidence: u32,
        uses: u64,
        times: (i64, i64),
        model: Option<String>,
        ops: Vec<u64>,
    }
    type Embedded = (String, u8, Vec<u8>);
    let config = Configuration::default().with_varint_encoding();
    let route: Learned = wincode::config::deserialize(&bytes(ROUTE)[2..], config).unwrap();
    assert_eq!((route.confidence, route.uses, route.times), (950_000_000, 251, (-1, 1)));
    assert_eq!((route.model.as_deref(), &route.ops[..]), (Some("m"), &[2, 3][..]));
    let vector: Embedded = wincode::config::deserialize(&bytes(VECTOR)[2..], config).unwrap();
    assert_eq!(vector, ("m".into(), 0, the_vector().vector.to_bytes()));
    let made: (u32, String) =
        wincode::config::deserialize(&bytes(SUGGESTIONS)[2..], config).unwrap();
    assert_eq!(made.0, 2);
}

#[test]
fn numbers_of_forms_cover_every_precision() {
    assert!(Precision::ALL.iter().all(|form| number(&FORMS, form).is_ok()));
}

#[test]
fn the_largest_of_each_fits() {
    let longest = "\u{1f680}".repeat(128);
    let model = ModelId::new(&longest).unwrap();
    let row = Route {
        query: "x".repeat(Route::MAX_QUERY_BYTES),
        uses: u64::MAX,
        model: Some(model.clone()),
        ops: vec![u64::MAX; MAX_OPS],
        ..the_route()
    };
    let bytes = encode_route(&row).unwrap();
    assert_eq!(decode_route(route_key(), &bytes), Ok(row));
    let vector = Vector::new(&vec![1.0; MAX_DIMENSIONS], Precision::F64).unwrap();
    let row = RouteVector { key: route_key(), model, vector };
    let bytes = encode_vector(&row).unwrap();
    assert_eq!(decode_vector(route_key(), &bytes), Ok(row));
}

#[test]
fn hostile_lengths_and_numbers_that_mean_nothing_are_errors() {
    let (route, vector) = (bytes(ROUTE), bytes(VECTOR));
    let huge = [0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    for place in 2..route.len() {
        let hostile = [&route[..place], &huge, &route[place..]].concat();
        assert!(decode_route(route_key(), &hostile).is_err(), "{place}");
    }
    for place in 2..vector.len() {
        let hostile = [&vector[..place], &huge, &vector[place..]].concat();
        assert!(decode_vector(route_key(), &hostile).is_err(), "{place}");
    }
    let mut odd = vector.clone();
    odd[4] = 2;
    assert_eq!(decode_vector(route_key(), &odd), Err(Bad("form")));
    // Its length is not 1, and it is no number.
    for (place, byte) in [(9, 0x40), (9, 0x7f)] {
        let mut odd = vector.clone();
        odd[place] = byte;
        odd[8] = 0xc0;
        assert_eq!(decode_vector(route_key(), &odd), Err(Bad("numbers")), "{byte}");
    }
    let sure = Route { confidence: Confidence::ONE, ..the_route() };
    let mut odd = encode_route(&sure).unwrap();
    odd[8] = 0xff;
    assert_eq!(decode_route(route_key(), &odd), Err(Bad("confidence")));
    let many = Route { ops: vec![1; MAX_OPS + 1], ..the_route() };
    assert_eq!(decode_route(route_key(), &encode_route(&many).unwrap()), Err(Bad("ops")));
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

    #[test]
    fn routes_vectors_and_suggestions_come_back(
        route in arbitrary::route(Reach::Wide),
        vector in arbitrary::route_vector(Reach::Wide),
        made in arbitrary::suggestions(Reach::Wide),
    ) {
        let bytes = encode_route(&route).unwrap();
        prop_assert_eq!(decode_route(route.key.clone(), &bytes), Ok(route));
        let bytes = encode_vector(&vector).unwrap();
        prop_assert_eq!(decode_vector(vector.key.clone(), &bytes), Ok(vector));
        let bytes = encode_suggestions(&made).unwrap();
        prop_assert_eq!(decode_suggestions(made.key.clone(), &bytes), Ok(made));
    }

    #[test]
    fn any_bytes_are_an_error_or_a_record(
        kind in prop::sample::select(vec![b'r', b'v', b'g']),
        body in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let bytes = [&[kind, 1], body.as_slice()].concat();
        let again = match kind {
            b'r' => decode_route(route_key(), &bytes).map(|row| encode_route(&row)),
            b'v' => decode_vector(route_key(), &bytes).map(|row| encode_vector(&row)),
            _ => {
                let key = the_suggestions().key;
                decode_suggestions(key, &bytes).map(|row| encode_suggestions(&row))
            }
        };
        if let Ok(again) = again {
            prop_assert!(again.unwrap().len() <= bytes.len());
        }
    }
}
