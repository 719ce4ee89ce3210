# A template: packaging/listings.py fills it for a release.
class Staleness < Formula
  desc "@DESCRIPTION@"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: [@LICENCES@]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/staleness-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/staleness-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/staleness-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/staleness-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "staleness"
    generate_completions_from_executable(bin/"staleness", "completions")
    (man1/"staleness.1").write Utils.safe_popen_read(bin/"staleness", "man")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/staleness --version")
    (testpath/"README.md").write "See `src/gone.rs`.\n"
    assert_match "1 document", shell_output("#{bin}/staleness check 2>&1")
  end
end
