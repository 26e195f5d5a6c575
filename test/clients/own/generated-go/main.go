// A session with the generated client: a repository, a file on a branch, issues, a comment, a label, a pull request, a
// release, a list in pages and a refusal.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"

	forge "judge.example/own/forge"
)

func check(name string, err error) {
	if err == nil {
		fmt.Println("ok", name)
		return
	}
	var refused *forge.GenericOpenAPIError
	if errors.As(err, &refused) {
		fmt.Fprintln(os.Stderr, string(refused.Body()))
	}
	fmt.Fprintln(os.Stderr, name, err)
	fmt.Println("FAIL", name)
}

func expect(holds bool, found any) error {
	if holds {
		return nil
	}
	return fmt.Errorf("unexpected: %v", found)
}

func main() {
	configuration := forge.NewConfiguration()
	configuration.Servers = forge.ServerConfigurations{{URL: os.Getenv("BASE_URL") + "/api/v1"}}
	client := forge.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), forge.ContextAPIKeys, map[string]forge.APIKey{
		"token": {Key: os.Getenv("TOKEN"), Prefix: "token"},
	})
	owner, name := os.Getenv("OWNER"), "go"+os.Getenv("RUN_ID")

	options := forge.NewCreateRepoOption(name)
	options.SetAutoInit(true)
	options.SetDefaultBranch("main")
	repo, _, err := client.RepositoryAPI.CreateCurrentUserRepo(ctx).CreateRepoOption(*options).Execute()
	if err == nil {
		err = expect(repo.GetFullName() == owner+"/"+name, repo.GetFullName())
	}
	check("create a repository", err)

	file := forge.NewCreateFileOptions()
	file.SetContent(base64.StdEncoding.EncodeToString([]byte("hello\n")))
	file.SetNewBranch("feature")
	_, _, err = client.RepositoryAPI.RepoCreateFile(ctx, owner, name, "a.txt").CreateFileOptions(*file).Execute()
	check("create a file on a branch", err)

	label, _, err := client.IssueAPI.IssueCreateLabel(ctx, owner, name).
		CreateLabelOption(*forge.NewCreateLabelOption("bug", "#ff0000")).Execute()
	check("create a label", err)

	for number := range 3 {
		issue := forge.NewCreateIssueOption(fmt.Sprint("issue ", number))
		issue.SetLabels([]int64{label.GetId()})
		if _, _, err = client.IssueAPI.IssueCreateIssue(ctx, owner, name).CreateIssueOption(*issue).Execute(); err != nil {
			break
		}
	}
	check("create issues with a label", err)

	comment, _, err := client.IssueAPI.IssueCreateComment(ctx, owner, name, 1).
		CreateIssueCommentOption(*forge.NewCreateIssueCommentOption("a comment")).Execute()
	if err == nil {
		err = expect(comment.GetBody() == "a comment", comment.GetBody())
	}
	check("comment on an issue", err)

	first, response, err := client.IssueAPI.IssueListIssues(ctx, owner, name).Limit(2).Page(1).Execute()
	if err == nil {
		second, _, failed := client.IssueAPI.IssueListIssues(ctx, owner, name).Limit(2).Page(2).Execute()
		total := response.Header.Get("X-Total-Count")
		err = errors.Join(failed, expect(len(first) == 2 && len(second) == 1 && total == "3", total))
	}
	check("list issues in pages", err)

	pull, _, err := client.RepositoryAPI.RepoCreatePullRequest(ctx, owner, name).
		CreatePullRequestOption(*forge.NewCreatePullRequestOption("feature", "main", "a pull request")).Execute()
	if err == nil {
		err = expect(pull.GetNumber() == 4, pull.GetNumber())
	}
	check("open a pull request", err)

	release, _, err := client.RepositoryAPI.RepoCreateRelease(ctx, owner, name).
		CreateReleaseOption(*forge.NewCreateReleaseOption("v1.0")).Execute()
	if err == nil {
		err = expect(release.GetTagName() == "v1.0", release.GetTagName())
	}
	check("publish a release", err)

	_, response, err = client.RepositoryAPI.RepoGet(ctx, owner, "none"+name).Execute()
	var refused *forge.GenericOpenAPIError
	isRefused := errors.As(err, &refused)
	if isRefused {
		model, isModel := refused.Model().(forge.APIError)
		isRefused = isModel && model.GetMessage() != ""
	}
	check("a missing repository is an error with a message", expect(isRefused && response.StatusCode == 404, err))
}
