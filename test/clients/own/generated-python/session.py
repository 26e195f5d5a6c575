"""A session with the generated client: a repository, a file on a branch, issues, a comment, a label, a pull request, a
release, a list in pages and a refusal."""

import base64
import os
import traceback

import openapi_client as forge

configuration = forge.Configuration(
    host=os.environ["BASE_URL"] + "/api/v1",
    api_key={"token": os.environ["TOKEN"]},
    api_key_prefix={"token": "token"},
)
client = forge.ApiClient(configuration)
repositories, issues = forge.RepositoryApi(client), forge.IssueApi(client)
owner, name = os.environ["OWNER"], "py" + os.environ["RUN_ID"]


def create_repository():
    options = forge.CreateRepoOption(name=name, auto_init=True, default_branch="main")
    assert repositories.create_current_user_repo(options).full_name == f"{owner}/{name}"


def create_file():
    content = base64.b64encode(b"hello\n").decode()
    repositories.repo_create_file(owner, name, "a.txt", forge.CreateFileOptions(content=content, new_branch="feature"))


def create_label():
    option = forge.CreateLabelOption(name="bug", color="#ff0000")
    assert issues.issue_create_label(owner, name, option).name == "bug"


def create_issues():
    label = issues.issue_list_labels(owner, name)[0].id
    for number in range(3):
        option = forge.CreateIssueOption(title=f"issue {number}", labels=[label])
        assert issues.issue_create_issue(owner, name, option).labels[0].name == "bug"


def comment():
    option = forge.CreateIssueCommentOption(body="a comment")
    assert issues.issue_create_comment(owner, name, 1, option).body == "a comment"


def pages():
    first = issues.issue_list_issues_with_http_info(owner, name, page=1, limit=2)
    headers = {header.lower(): value for header, value in first.headers.items()}
    assert headers["x-total-count"] == "3" and len(first.data) == 2
    assert len(issues.issue_list_issues(owner, name, page=2, limit=2)) == 1


def open_pull_request():
    option = forge.CreatePullRequestOption(head="feature", base="main", title="a pull request")
    assert repositories.repo_create_pull_request(owner, name, option).number == 4


def publish_release():
    option = forge.CreateReleaseOption(tag_name="v1.0")
    assert repositories.repo_create_release(owner, name, option).tag_name == "v1.0"


def refusal():
    try:
        repositories.repo_get(owner, "none" + name)
    except forge.exceptions.NotFoundException as error:
        assert error.data.message
        return
    raise AssertionError("the repository exists")


for check, act in {
    "create a repository": create_repository,
    "create a file on a branch": create_file,
    "create a label": create_label,
    "create issues with a label": create_issues,
    "comment on an issue": comment,
    "list issues in pages": pages,
    "open a pull request": open_pull_request,
    "publish a release": publish_release,
    "a missing repository is an error with a message": refusal,
}.items():
    try:
        act()
        print("ok", check, flush=True)
    except Exception:
        traceback.print_exc()
        print("FAIL", check, flush=True)
