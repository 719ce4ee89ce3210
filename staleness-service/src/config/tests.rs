//! Tests of the policy layers.

use staleness::ids::Caller;

use super::*;

fn layers(flags: &[&str]) -> Result<Configured, ServiceError> {
    let flags = flags.iter().map(ToString::to_string).collect();
    Layers { flags, ..Layers::default() }.read()
}

#[test]
fn a_project_sets_thresholds_ignores_and_kinds_of_its_documents() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(FILE_NAME);
    let text = "[knowledge]\nweight_temporal_marker = 0.0\n\
        [knowledge.kind.knowledge]\ncurve = { half_life = { days = 30 } }\n\
        [documents]\nignore = ['vendor/']\nkinds = { 'docs/facts/*.md' = 'knowledge' }\n";
    std::fs::write(&file, text).unwrap();
    let layers = Layers { project: Some(file.clone()), ..Layers::default() };
    let configured = layers.read().unwrap();
    let policy = &configured.policy;
    assert_eq!(policy.documents.ignore, ["vendor/"]);
    assert_eq!(policy.documents.kinds_in_order().len(), 1);
    let knowledge = staleness::knowledge::ItemKind::Knowledge;
    let rules = policy.knowledge.rules(knowledge, Caller::default());
    assert_eq!(rules.curve, staleness_core::knowledge::Curve::HalfLife { days: 30.0 });
    assert!((rules.recall_from - 0.7).abs() < 1e-9, "what is not named stays");
    let values = configured.values().unwrap();
    let source = |key: &str| values.iter().find(|value| value.key == key).unwrap();
    let place = file.display().to_string();
    for key in ["knowledge.kind.knowledge.curve", "documents.ignore"] {
        assert_eq!(source(key).source, place, "{key}");
    }
    assert_eq!(source("documents.max_file_bytes").source, "default");
    assert_eq!(source("knowledge.kind.todo.curve").source, "default");
    for wrong in [
        "[documents]\nmax_file_bytes = 9999999999\n",
        "[knowledge]\nweight_expired = 2.0\n",
        "[knowledge.kind.knowledge]\ncurve = { half_life = { days = 0 } }\n",
        "[documents]\nstore = 'x'\n",
    ] {
        std::fs::write(&file, wrong).unwrap();
        let error = layers.read().unwrap_err();
        assert!(error.kind == ErrorKind::Config && error.message.contains(FILE_NAME), "{error}");
    }
}

#[test]
fn a_layer_that_cannot_be_read_takes_no_other_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let (user, project) = (dir.path().join("user.toml"), dir.path().join(FILE_NAME));
    std::fs::write(&user, "[hooks]\ntell = false\n[outcomes]\nkeep_days = 900\n").unwrap();
    let layers = Layers {
        user: Some((user.clone(), true)),
        project: Some(project.clone()),
        environment: Some("ranking.window=7".into()),
        flags: Vec::new(),
    };
    for text in ["broken = = ", "store = 'x'", "[tools]\nunseen_days = 'many'"] {
        std::fs::write(&project, text).unwrap();
        let (configured, trouble) = layers.read_what_can_be_read();
        assert!(trouble.unwrap().message.contains(FILE_NAME), "{text}");
        let policy = configured.policy;
        assert!(!policy.hooks.tell, "{text}");
        assert_eq!((policy.outcomes.keep_days, policy.ranking.window), (900, 7), "{text}");
    }
    std::fs::write(&project, "[tools]\nunseen_days = 11\n").unwrap();
    std::fs::write(&user, "broken = = ").unwrap();
    let (configured, trouble) = layers.read_what_can_be_read();
    assert!(trouble.unwrap().message.contains("user.toml"));
    assert_eq!(configured.policy.tools.unseen_days, 11);
    assert!(configured.policy.hooks.tell);
}

#[test]
fn layers_that_contradict_each_other_leave_the_users_in_force() {
    let dir = tempfile::tempdir().unwrap();
    let (user, project) = (dir.path().join("user.toml"), dir.path().join(FILE_NAME));
    std::fs::write(&user, "[hooks]\ntell = false\n[knowledge]\nreview_from = 0.6\n").unwrap();
    std::fs::write(&project, "[knowledge]\nfresh_from = 0.5\n").unwrap();
    let layers = |flags: &[&str]| Layers {
        user: Some((user.clone(), true)),
        project: Some(project.clone()),
        environment: Some("ranking.window=7".into()),
        flags: flags.iter().map(ToString::to_string).collect(),
    };
    let error = layers(&[]).read().unwrap_err();
    assert!(error.message.contains(FILE_NAME), "{error}");
    let (configured, trouble) = layers(&[]).read_what_can_be_read();
    assert!(trouble.unwrap().message.contains(FILE_NAME));
    let policy = configured.policy;
    assert!(!policy.hooks.tell);
    assert!((policy.knowledge.review_from - 0.6).abs() < 1e-9);
    assert_eq!(policy.ranking.window, 7);

    std::fs::remove_file(&project).unwrap();
    let (configured, trouble) = layers(&["knowledge.fresh_from=0.5"]).read_what_can_be_read();
    assert!(trouble.unwrap().message.starts_with("flag"));
    assert_eq!((configured.policy.hooks.tell, configured.policy.ranking.window), (false, 7));
}

#[test]
fn the_names_that_clients_use_are_defaults_and_a_user_adds_to_them() {
    let source = |configured: &Configured, key: &str| {
        let values = configured.values().unwrap();
        values.into_iter().find(|value| value.key == key).map(|value| value.source)
    };
    let policy = layers(&[]).unwrap().policy;
    assert_eq!(policy.agents["codex-mcp-client"], "codex");
    assert_eq!(policy.account_servers, ["claude_ai_"]);
    let own = layers(&["agents.mine=codex", "account_servers=[]"]).unwrap();
    assert_eq!(own.policy.agents["mine"], "codex");
    assert!(own.policy.account_servers.is_empty());
    assert_eq!(source(&own, "agents.codex-mcp-client").as_deref(), Some("default"));
}
