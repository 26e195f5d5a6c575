// Plays a runner of the family with its own messages and client library, and runs the steps of jobs on this machine.
// Each line that it prints is a check: `ok` or `FAIL`, a tabulator, and its name.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sort"
	"strings"
	"time"

	pingv1 "code.gitea.io/actions-proto-go/ping/v1"
	"code.gitea.io/actions-proto-go/ping/v1/pingv1connect"
	runnerv1 "code.gitea.io/actions-proto-go/runner/v1"
	"code.gitea.io/actions-proto-go/runner/v1/runnerv1connect"
	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"
	"gopkg.in/yaml.v3"
)

const secret = "a-secret-of-the-judge"

// As the runners of the family do it: five seconds for a call, and its own words for a runner that is not known.
const fetchTimeout = 5 * time.Second

const workflow = `on: [push, workflow_dispatch]
jobs:
  build:
    runs-on: judge
    strategy: { matrix: { n: [1, 2] } }
    outputs: { made: "${{ steps.s.outputs.made }}" }
    steps:
      - run: echo "built on $(uname -s)"
      - run: echo "token is ` + secret + `"
  last:
    needs: build
    runs-on: judge
    steps: [{ run: echo last }]
`

var base = strings.TrimSuffix(os.Getenv("BASE_URL"), "/")

func check(name string, run func() error) {
	if err := run(); err != nil {
		fmt.Printf("FAIL\t%s\n", name)
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return
	}
	fmt.Printf("ok\t%s\n", name)
}

func api(method, path string, body any, into any) error {
	packed, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, base+"/api/v1"+path, bytes.NewReader(packed))
	if err != nil {
		return err
	}
	request.SetBasicAuth(os.Getenv("ADMIN_USER"), os.Getenv("ADMIN_PASSWORD"))
	request.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if reply.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %s: %s", method, path, reply.Status, text)
	}
	switch target := into.(type) {
	case nil:
		return nil
	case *string:
		*target = string(text)
		return nil
	default:
		return json.Unmarshal(text, target)
	}
}

// A runner with the headers that it shows with each call.
type runner struct {
	client  runnerv1connect.RunnerServiceClient
	version int64
}

func connectAs(uuid, token string, options ...connect.ClientOption) runnerv1connect.RunnerServiceClient {
	headers := connect.UnaryInterceptorFunc(func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
			if uuid != "" {
				request.Header().Set("x-runner-uuid", uuid)
				request.Header().Set("x-runner-token", token)
			}
			return next(ctx, request)
		}
	})
	options = append(options, connect.WithInterceptors(headers))
	return runnerv1connect.NewRunnerServiceClient(http.DefaultClient, base+"/api/actions", options...)
}

func (r *runner) fetch() (*runnerv1.Task, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	reply, err := r.client.FetchTask(ctx, connect.NewRequest(&runnerv1.FetchTaskRequest{TasksVersion: r.version}))
	if err != nil {
		return nil, err
	}
	r.version = reply.Msg.TasksVersion
	if reply.Msg.Task != nil {
		// There may be more where this came from.
		r.version = 0
	}
	return reply.Msg.Task, nil
}

func (r *runner) must() (*runnerv1.Task, error) {
	for attempt := 0; attempt < 10; attempt++ {
		if task, err := r.fetch(); err != nil || task != nil {
			return task, err
		}
	}
	return nil, errors.New("there is no task")
}

type job struct {
	Name  string
	Steps []struct{ Run string }
}

func jobOf(task *runnerv1.Task) (string, job, error) {
	var file struct{ Jobs map[string]job }
	if err := yaml.Unmarshal(task.WorkflowPayload, &file); err != nil {
		return "", job{}, err
	}
	for key, each := range file.Jobs {
		return key, each, nil
	}
	return "", job{}, errors.New("the payload has no job")
}

// Runs the steps, and tells lines, states and outputs as a runner does.
func (r *runner) execute(task *runnerv1.Task) error {
	_, own, err := jobOf(task)
	if err != nil {
		return err
	}
	ctx := context.Background()
	state := &runnerv1.TaskState{Id: task.Id, StartedAt: timestamppb.Now()}
	index := int64(0)
	for number, step := range own.Steps {
		said, err := exec.Command("sh", "-c", step.Run).CombinedOutput()
		rows := []*runnerv1.LogRow{}
		for lines := bufio.NewScanner(bytes.NewReader(said)); lines.Scan(); {
			rows = append(rows, &runnerv1.LogRow{Time: timestamppb.Now(), Content: lines.Text()})
		}
		result := runnerv1.Result_RESULT_SUCCESS
		if err != nil {
			result = runnerv1.Result_RESULT_FAILURE
		}
		state.Steps = append(state.Steps, &runnerv1.StepState{
			Id: int64(number), Result: result, StartedAt: timestamppb.Now(), StoppedAt: timestamppb.Now(),
			LogIndex: index, LogLength: int64(len(rows)),
		})
		noMore := number == len(own.Steps)-1
		reply, err := r.client.UpdateLog(ctx, connect.NewRequest(&runnerv1.UpdateLogRequest{
			TaskId: task.Id, Index: index, Rows: rows, NoMore: noMore,
		}))
		if err != nil {
			return err
		}
		if reply.Msg.AckIndex != index+int64(len(rows)) {
			return fmt.Errorf("%d lines were sent, %d acknowledged", index+int64(len(rows)), reply.Msg.AckIndex)
		}
		index = reply.Msg.AckIndex
	}
	state.Result = runnerv1.Result_RESULT_SUCCESS
	state.StoppedAt = timestamppb.Now()
	reply, err := r.client.UpdateTask(ctx, connect.NewRequest(&runnerv1.UpdateTaskRequest{
		State: state, Outputs: map[string]string{"made": own.Name},
	}))
	if err != nil {
		return err
	}
	if len(reply.Msg.SentOutputs) != 1 || reply.Msg.State.Result != runnerv1.Result_RESULT_SUCCESS {
		return fmt.Errorf("answered %v", reply.Msg)
	}
	return nil
}

type runs struct {
	Runs []struct {
		ID     int64
		Status string
	} `json:"workflow_runs"`
}

func main() {
	repo := "/repos/" + os.Getenv("ADMIN_USER") + "/" + os.Args[1]
	var registration struct{ Token string }
	var own runner
	check("ping", func() error {
		client := pingv1connect.NewPingServiceClient(http.DefaultClient, base+"/api/actions")
		reply, err := client.Ping(context.Background(), connect.NewRequest(&pingv1.PingRequest{Data: "judge"}))
		if err == nil && reply.Msg.Data != "Hello, judge!" {
			err = errors.New(reply.Msg.Data)
		}
		return err
	})
	for name, options := range map[string][]connect.ClientOption{
		"JSON": {connect.WithProtoJSON()}, "gRPC-Web": {connect.WithGRPCWeb()}, "protobuf": {connect.WithSendGzip()},
	} {
		check("register and declare, in "+name, func() error {
			if err := api("GET", repo+"/actions/runners/registration-token", nil, &registration); err != nil {
				return err
			}
			made, err := connectAs("", "", options...).Register(context.Background(), connect.NewRequest(
				&runnerv1.RegisterRequest{Name: "judge", Token: registration.Token, Version: "v1", Labels: []string{"other"}}))
			if err != nil {
				return err
			}
			client := connectAs(made.Msg.Runner.Uuid, made.Msg.Runner.Token, options...)
			declared, err := client.Declare(context.Background(), connect.NewRequest(
				&runnerv1.DeclareRequest{Version: "v2", Labels: []string{"judge"}}))
			if err != nil {
				return err
			}
			if labels := declared.Msg.Runner.Labels; len(labels) != 1 || labels[0] != "judge" {
				return fmt.Errorf("its labels are %v", labels)
			}
			own = runner{client: client}
			return nil
		})
	}
	check("a runner that is not known hears so", func() error {
		_, err := connectAs("nobody", "nothing").FetchTask(context.Background(), connect.NewRequest(&runnerv1.FetchTaskRequest{}))
		if connect.CodeOf(err) != connect.CodeUnauthenticated || !strings.Contains(err.Error(), "unregistered runner") {
			return fmt.Errorf("heard: %v", err)
		}
		return nil
	})
	check("an idle runner is answered before its patience ends", func() error {
		for range 2 {
			if task, err := own.fetch(); err != nil || task != nil {
				return fmt.Errorf("got %v, %v", task, err)
			}
		}
		return nil
	})
	check("a push wakes it, and both combinations of the matrix run", func() error {
		if err := api("PUT", repo+"/actions/secrets/HUSH", map[string]string{"data": secret}, nil); err != nil {
			return err
		}
		woken := make(chan error, 1)
		names := []string{}
		go func() {
			for range 2 {
				task, err := own.must()
				if err == nil {
					var key string
					var body job
					if key, body, err = jobOf(task); err == nil && (key != "build" || task.Secrets["HUSH"] != secret) {
						err = fmt.Errorf("the task is of %s, its secrets are %d", key, len(task.Secrets))
					}
					names = append(names, body.Name)
				}
				if err == nil {
					err = own.execute(task)
				}
				if err != nil {
					woken <- err
					return
				}
			}
			woken <- nil
		}()
		content := base64.StdEncoding.EncodeToString([]byte(workflow))
		if err := api("POST", repo+"/contents/.forgejo/workflows/judge.yml", map[string]string{"content": content}, nil); err != nil {
			return err
		}
		if err := <-woken; err != nil {
			return err
		}
		sort.Strings(names)
		if strings.Join(names, "; ") != "build (1); build (2)" {
			return fmt.Errorf("their names are %v", names)
		}
		return nil
	})
	check("the job that needs them is told results and outputs", func() error {
		task, err := own.must()
		if err != nil {
			return err
		}
		need := task.Needs["build"]
		if need.GetResult() != runnerv1.Result_RESULT_SUCCESS || !strings.HasPrefix(need.GetOutputs()["made"], "build (") {
			return fmt.Errorf("its needs are %v", task.Needs)
		}
		facts := task.Context.AsMap()
		if facts["event_name"] != "push" || facts["repository"] != strings.TrimPrefix(repo, "/repos/") || facts["token"] == "" {
			return fmt.Errorf("its context is %v", facts)
		}
		return own.execute(task)
	})
	var all runs
	check("the run has succeeded, and its log shows no secret", func() error {
		if err := api("GET", repo+"/actions/runs", nil, &all); err != nil {
			return err
		}
		if len(all.Runs) != 1 || all.Runs[0].Status != "success" {
			return fmt.Errorf("the runs are %v", all)
		}
		var jobs struct{ Jobs []struct{ ID int64 } }
		if err := api("GET", fmt.Sprintf("%s/actions/runs/%d/jobs", repo, all.Runs[0].ID), nil, &jobs); err != nil {
			return err
		}
		var log string
		if err := api("GET", fmt.Sprintf("%s/actions/jobs/%d/logs", repo, jobs.Jobs[0].ID), nil, &log); err != nil {
			return err
		}
		if !strings.Contains(log, "built on") || !strings.Contains(log, "token is ***") || strings.Contains(log, secret) {
			return errors.New(log)
		}
		return nil
	})
	check("a run that is cancelled tells its runner", func() error {
		if err := api("POST", repo+"/actions/workflows/judge.yml/dispatches", map[string]string{"ref": "main"}, nil); err != nil {
			return err
		}
		task, err := own.must()
		if err != nil {
			return err
		}
		if err := api("GET", repo+"/actions/runs", nil, &all); err != nil {
			return err
		}
		if err := api("POST", fmt.Sprintf("%s/actions/runs/%d/cancel", repo, all.Runs[len(all.Runs)-1].ID), nil, nil); err != nil {
			return err
		}
		reply, err := own.client.UpdateTask(context.Background(), connect.NewRequest(
			&runnerv1.UpdateTaskRequest{State: &runnerv1.TaskState{Id: task.Id}}))
		if err == nil && reply.Msg.State.Result != runnerv1.Result_RESULT_CANCELLED {
			err = fmt.Errorf("answered %v", reply.Msg)
		}
		return err
	})
}
