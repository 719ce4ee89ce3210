//! The model that makes vectors of queries.

use crate::common::Sandbox;

/// A sandbox with one tool that can be learned, and the arguments that teach it with a model folder.
fn lesson(folder: &str) -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new();
    sandbox.ok(&["record", "mcp__hub__search", "--success"]);
    let set = format!("routes.model_dir={folder:?}");
    let args =
        ["--set", &set, "routes", "learn", "--query", "find it", "--tool", "mcp__hub__search"];
    (sandbox, args.map(str::to_owned).to_vec())
}

#[test]
fn a_model_directory_that_is_missing_a_file_is_told_and_nothing_is_learned() {
    let (sandbox, args) = lesson("/nowhere/model");
    let run = sandbox.run(&args);
    assert_eq!(run.code, 3, "{run:?}");
    let why = if cfg!(feature = "local") { "config.json" } else { "without models" };
    assert!(run.err.contains("routes.model_dir") && run.err.contains(why), "{run:?}");
    assert_eq!(sandbox.json(&["routes"])["routes"], serde_json::json!([]));
}

#[test]
#[cfg(feature = "local")]
fn the_file_that_a_model_directory_lacks_is_named() {
    let (sandbox, args) = lesson("placeholder");
    let config = r#"{"model_type": "bert", "hidden_size": 8, "num_attention_heads": 2,
        "vocab_size": 9, "num_hidden_layers": 1, "intermediate_size": 8, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1, "max_position_embeddings": 16, "type_vocab_size": 2,
        "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0}"#;
    for missing in ["config.json", "tokenizer.json"] {
        let folder = sandbox.root().join("lacks").join(missing);
        std::fs::create_dir_all(&folder).unwrap();
        if missing != "config.json" {
            std::fs::write(folder.join("config.json"), config).unwrap();
        }
        let mut args = args.clone();
        args[1] = format!("routes.model_dir={:?}", folder.display().to_string());
        let run = sandbox.run(&args);
        assert_eq!((run.code, run.err.lines().count()), (3, 1), "{run:?}");
        assert!(run.err.contains(&format!("{missing}:")) && run.err.contains("missing"), "{run:?}");
    }
    assert_eq!(sandbox.json(&["routes"])["routes"], serde_json::json!([]));
}

/// A search that words answer does not fail for want of a model.
#[test]
fn a_model_that_cannot_be_asked_leaves_the_words() {
    let (sandbox, args) = lesson("/nowhere/model");
    let why = if cfg!(feature = "local") { "config.json" } else { "without models" };
    for verb in ["suggest", "discover"] {
        let ask = |query: &str| {
            let args: Vec<&str> = args[..2].iter().map(String::as_str).collect();
            sandbox.json(&[&args[..], &["tools", verb, query]].concat())
        };
        let found = ask("search");
        assert_eq!(found["tools"][0]["name"], "mcp__hub__search", "{found}");
        let note = found["note"].as_str().unwrap();
        assert!(note.contains(why) && note.ends_with("; only words were compared"), "{note}");
        // Where there are no words nothing is asked of a model.
        let run = sandbox.run(&[args[0].as_str(), &args[1], "tools", verb, "?!"]);
        assert!(run.code == 3 && run.err.contains("no words"), "{run:?}");
    }
}

#[test]
fn a_project_names_no_model() {
    let (sandbox, _) = lesson("");
    sandbox.write("project/staleness.toml", "[routes]\nmodel_dir = \"/models/theirs\"\n");
    let run = sandbox.run(&["routes"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("may not set \"routes.model_dir\""), "{run:?}");
}

#[test]
fn the_real_model_makes_vectors_of_what_is_learned() {
    let folder = std::env::var("STALENESS_TEST_MODEL").ok().filter(|_| cfg!(feature = "local"));
    let Some(folder) = folder else {
        eprintln!("skipped: STALENESS_TEST_MODEL names no model, or this was built without models");
        return;
    };
    let (sandbox, args) = lesson(&folder);
    sandbox.ok(&args);
    let learned = sandbox.json(&["routes"]);
    let model = learned["routes"][0]["model"].as_str().unwrap_or_default();
    assert!(model.contains('@'), "{learned}");
    let found = sandbox.json(&[&args[0], &args[1], "tools", "discover", "look for something"]);
    let meaning = found["tools"][0]["parts"]["route"]["by_meaning"].as_f64();
    assert!(meaning.is_some_and(|cosine| cosine > 0.2), "{found}");
}
