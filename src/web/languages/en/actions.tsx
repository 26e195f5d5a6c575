import type { ActionAnnotationRow, ActionStatus, AnnotationLevel } from '../../../db/tables/actions.ts'
import { counted, listText } from '../amounts.ts'
import { wordTable } from '../../../lib/word-table.ts'

const statuses: Readonly<Record<ActionStatus, string>> = {
  success: 'Succeeded',
  failure: 'Failed',
  cancelled: 'Cancelled',
  skipped: 'Skipped',
  running: 'Running',
  waiting: 'Waiting',
  blocked: 'Blocked',
  unknown: 'Unknown',
}

const events = wordTable<string>({
  push: 'Push',
  create: 'Branch or tag created',
  delete: 'Branch or tag deleted',
  pull_request: 'Pull request',
  pull_request_target: 'Pull request',
  pull_request_review: 'Review',
  workflow_dispatch: 'Manual run',
  workflow_call: 'Called',
  workflow_run: 'Workflow',
  schedule: 'Schedule',
  release: 'Release',
  issues: 'Issue',
  issue_comment: 'Comment',
  registry_package: 'Package',
})

/** Returns a word for the trigger of a run. */
const eventText = (event: string): string =>
  Object.hasOwn(events, event) ? (events[event] as string) : event.replaceAll('_', ' ')

/** Texts of the pages of workflows, runs and logs. */
export const actionsTexts = {
  status: (status: ActionStatus) => statuses[status],
  event: eventText,
  title: 'Actions',
  titleOf: (repo: string) => `Actions of ${repo}`,
  list: {
    workflows: 'Workflows',
    all: 'All workflows',
    disabled: 'Disabled',
    gone: 'Not on the default branch',
    status: 'Status',
    event: 'Event',
    branch: 'Branch',
    actor: 'Person',
    filterBranches: 'Find a branch',
    filterActors: 'Find a person',
    noMatch: 'Nothing of this name in recent runs',
    any: 'All',
    clear: 'Clear filters',
    runs: 'Runs',
    by: 'by',
    approval: 'Needs approval',
    invalid: 'Invalid workflow',
    noRuns: 'No run matches',
    noRunsLead: 'Change or clear the filters to see other runs.',
    noRunsYet: 'No runs yet',
    noRunsYetLead: 'A run appears when an event starts this workflow.',
    empty: 'Automate what you do after each push',
    emptyLead:
      'Save this file on the default branch. It runs your tests whenever somebody pushes or opens a pull request.',
    emptyReader: 'Nobody has added a workflow to this repository.',
    emptyFile: '.forgejo/workflows/test.yml',
    emptyWorkflow: `name: Tests
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make test
`,
    create: 'Create the file',
    problem: (name: string) => `The file ${name} cannot be read:`,
    badge: 'Badge',
    badgeHint: 'Shows the newest result on the default branch. Paste it into a README.',
    badgeLabel: 'Markdown of the badge',
    enable: 'Enable',
    disable: 'Disable',
    disabledLead: 'This workflow is disabled. It starts only by hand.',
    dispatch: 'Run workflow',
    dispatchRef: 'Branch or tag',
    dispatchStart: 'Run',
    missingInput: 'Fill in this field.',
    wrongInput: ({ type, options }: { readonly type: string; readonly options: readonly string[] }) =>
      type === 'number' ? 'Enter a number.' : `Choose one of: ${listText(options)}.`,
    dispatchOnOther: 'The inputs are those of the default branch.',
    yes: 'Yes',
    no: 'No',
    noChoice: 'None',
    archived: 'The repository is archived',
    more: 'More acts',
  },
  done: {
    dispatched: (number: number) => `Run ${number} starts.`,
    enabled: (name: string) => `${name} is enabled.`,
    disabled: (name: string) => `${name} is disabled.`,
    rerun: 'The jobs run again.',
    cancelled: 'The run is cancelled.',
    approved: 'The run is approved.',
    deleted: (number: number) => `Run ${number} is deleted.`,
    artifactDeleted: (name: string) => `Artifact ${name} is deleted.`,
  },
  run: {
    title: (title: string, number: number) => `${title} · Run ${number}`,
    number: (number: number) => `#${number}`,
    summary: 'Summary',
    jobs: 'Jobs',
    graph: 'Graph of the jobs',
    stage: (number: number) => `Stage ${number}`,
    workflow: 'Workflow',
    event: 'Event',
    commit: 'Commit',
    branch: 'Branch',
    started: 'Started',
    duration: 'Duration',
    rerun: 'Run again',
    rerunAll: 'All jobs',
    rerunFailed: 'Failed jobs',
    rerunJob: 'Run this job again',
    cancel: 'Cancel',
    approve: 'Approve and run',
    approvalTitle: 'This run waits for an approval',
    approvalLead:
      'It executes commits of somebody without write access. Read the changes, above all those of workflows, before you approve it.',
    approvalReader: 'Somebody with write access must approve it.',
    toWorkflow: 'Go to the file',
    waiting: (count: number) =>
      count === 1 ? 'A job waits for a free runner with' : `${counted(count, 'job')} wait for a free runner with`,
    runner: {
      missing: (count: number) =>
        count === 1
          ? 'A job waits, but no runner has the labels'
          : `${counted(count, 'job')} wait, but no runner has the labels`,
      offline: (count: number) =>
        count === 1
          ? 'A job waits, but no runner is online with the labels'
          : `${counted(count, 'job')} wait, but no runner is online with the labels`,
    },
    addRunner: 'See the runners',
    changes: 'Read the changes',
    held: 'This run waits until an earlier run of its group has ended.',
    untrusted: 'From a fork',
    untrustedHint: 'The run gets no secrets, and its tokens may only read',
    problem: (name: string) => `The workflow file ${name} is not valid:`,
    delete: 'Delete run',
    deleteQuestion: 'Delete this run with its logs and artifacts?',
    artifacts: 'Artifacts',
    artifactExpires: 'Expires',
    artifactExpired: 'Expired',
    download: 'Download',
    deleteArtifact: (name: string) => `Delete ${name}`,
    deleteArtifactQuestion: (name: string) => `Delete the artifact ${name}?`,
    needs: (names: string) => `after ${names}`,
    attempt: (number: number) => `Attempt ${number}`,
    jobCount: (count: number) => counted(count, 'job'),
    moreJobs: (count: number) => `${counted(count, 'further job')} of this run are in the list`,
  },
  failures: {
    title: (count: number) => (count === 1 ? 'A job failed' : `${counted(count, 'job')} failed`),
    more: (count: number) =>
      count === 1 ? 'Another failed job is in the list' : `${counted(count, 'further failed job')} are in the list`,
    notShown: 'The page of the job shows its log.',
  },
  reports: {
    annotations: 'Annotations',
    levels: { error: 'Error', warning: 'Warning', notice: 'Notice' },
    counts: ({ error, warning, notice }: Readonly<Record<AnnotationLevel, number>>) =>
      [
        error === 0 ? '' : counted(error, 'error'),
        warning === 0 ? '' : counted(warning, 'warning'),
        notice === 0 ? '' : counted(notice, 'notice'),
      ]
        .filter((each) => each !== '')
        .join(', '),
    location: ({ path, start_line: first, end_line: last }: ActionAnnotationRow) =>
      first === 0 ? path : `${path}:${first}${last > first ? `–${last}` : ''}`,
    atLine: (line: number) => `Annotations of line ${line}`,
    moreAtLine: (count: number) => counted(count, 'further annotation'),
    ofRun: (workflow: string, counts: string) => `${workflow}: ${counts}`,
    onlyFirst: (count: number) => `Only the first ${count} annotations are shown at their lines.`,
    summary: 'Summary',
    summaryOf: (job: string) => `Summary of ${job}`,
    moreSummaries: 'Further summaries are too long for this page; the pages of the jobs show them.',
  },
  environments: {
    current: 'Current',
    title: 'Environments',
    titleOf: (repo: string) => `Environments of ${repo}`,
    all: 'All environments',
    none: 'No deployments yet',
    noneLead: (
      <>
        Jobs that state an <code>environment</code> are listed here.
      </>
    ),
    count: (count: number) => counted(count, 'deployment'),
  },
  job: {
    heldJob: 'Waiting for its concurrency group',
    heldJobLead: 'The job starts when an earlier member of its group has ended.',
    title: (job: string, run: number) => `${job} · Run ${run}`,
    steps: 'Steps',
    setUp: 'Set up the job',
    complete: 'Complete the job',
    whole: 'Log',
    unnamed: (number: number) => `Step ${number}`,
    search: 'Search this log',
    results: (count: number, query: string) => `${counted(count, 'line')} contain “${query}”`,
    noResults: (query: string) => `No line contains “${query}”`,
    someResults: 'Only the first lines are shown.',
    searchCut: 'The search stopped before the end of this long log; download it to search the rest.',
    backToSteps: 'Back to the steps',
    raw: 'Raw log',
    times: 'Times',
    wrap: 'Wrap',
    earlier: (count: number) => counted(count, 'earlier line'),
    later: (count: number) => counted(count, 'later line'),
    line: (number: number) => `To line ${number}`,
    show: 'Show the log of this step',
    noLines: 'This step has written nothing.',
    waiting: 'Waiting for a runner',
    noRunner: { missing: 'No runner for this job', offline: 'No runner is online' },
    noRunnerLead: {
      missing: (labels: string) => `No runner of the repository, its owner or this instance has the labels ${labels}.`,
      offline: (labels: string) => `The job starts when a runner with the labels ${labels} is online again.`,
    },
    approval: 'Waiting for an approval',
    approvalLead: 'Somebody with write access must approve the run.',
    toRun: 'Go to the run',
    held: 'Waiting for an earlier run',
    heldLead: 'The run starts when an earlier run of its group has ended.',
    waitingLead: (labels: string) => `The job starts when a runner with the labels ${labels} is free.`,
    blocked: 'Waiting for other jobs',
    blockedLead: (names: string) => `The job starts after ${names}.`,
    skipped: 'Skipped',
    skippedLead: 'A job that this one needs did not succeed, or its condition is false.',
    cancelled: 'Cancelled before it began',
    expired: 'The log has expired',
    expiredLead: 'Logs are kept for a limited time. Run the job again to get a new one.',
    noLog: 'This job wrote no log',
    call: 'This job calls another workflow',
    callLead: 'Its jobs are in the list of the run.',
    live: 'Following',
    cutLine: (count: number) => `… ${counted(count, 'further character')} in the raw log`,
    group: 'Group',
    labels: 'Runs on',
    log: 'Log',
  },
}
