import { describeJob, pull, push, steps, testShapes, type Shape } from './shapes.test-support.ts'

const shapes: readonly Shape[] = [
  {
    shape: 'a library tested on systems × versions, with include and exclude',
    on: push,
    file: `
on: { push: { branches: [main] }, pull_request: {} }
jobs:
  test:
    strategy:
      fail-fast: false
      max-parallel: 4
      matrix:
        os: [ubuntu-latest, windows-latest]
        python: ['3.9', '3.12']
        exclude: [{ os: windows-latest, python: '3.9' }]
        include: [{ os: ubuntu-latest, python: '3.13', experimental: true }]
    runs-on: \${{ matrix.os }}
    continue-on-error: \${{ matrix.experimental == true }}
    ${steps}`,
    starts: [
      'test (true, ubuntu-latest, 3.13) [ubuntu-latest]',
      'test (ubuntu-latest, 3.12) [ubuntu-latest]',
      'test (ubuntu-latest, 3.9) [ubuntu-latest]',
      'test (windows-latest, 3.12) [windows-latest]',
    ],
  },
  {
    shape: 'a release pipeline: lint, test, build, publish on tags',
    on: { events: ['push'], tag: 'v1.2.3' },
    file: `
on: { push: { tags: ['v*.*.*'] } }
permissions: { contents: read }
jobs:
  lint: { runs-on: ubuntu-latest, ${steps} }
  test: { runs-on: ubuntu-latest, needs: lint, ${steps} }
  build: { runs-on: ubuntu-latest, needs: [lint, test], outputs: { digest: "\${{ steps.a.outputs.b }}" }, ${steps} }
  publish: { runs-on: ubuntu-latest, needs: build, if: "startsWith(github.ref, 'refs/tags/')", environment: pypi, permissions: { id-token: write }, ${steps} }`,
    starts: [
      'lint [ubuntu-latest]',
      'test [ubuntu-latest] < lint',
      'build [ubuntu-latest] < lint,test',
      'publish [ubuntu-latest] < build',
    ],
  },
  {
    shape: 'a release pipeline and a push to a branch',
    on: push,
    file: `on: { push: { tags: ['v*'] } }\njobs: { a: { runs-on: x, ${steps} } }`,
    starts: undefined,
  },
  {
    shape: 'documentation, when its files change',
    on: push,
    paths: ['docs/index.md', 'src/a.ts'],
    file: `on: { push: { paths: ['docs/**', '!docs/draft/**'] } }\njobs: { docs: { runs-on: x, ${steps} } }`,
    starts: ['docs [x]'],
  },
  {
    shape: 'tests, unless only documentation changes',
    on: pull,
    paths: ['docs/index.md', 'README.md'],
    file: `on: { pull_request: { paths-ignore: ['docs/**', '**.md'] } }\njobs: { a: { runs-on: x, ${steps} } }`,
    starts: undefined,
  },
  {
    shape: 'a group per branch that cancels older runs of pull requests',
    on: pull,
    github: { head_ref: 'topic', event_name: 'pull_request' },
    file: `
on: pull_request
concurrency:
  group: \${{ github.workflow }}-\${{ github.head_ref || github.run_id }}
  cancel-in-progress: \${{ github.event_name == 'pull_request' }}
jobs: { a: { runs-on: x, ${steps} } }`,
    starts: ['a [x]'],
    group: 'CI-topic cancels',
  },
  {
    shape: 'a service, a container, defaults and environment',
    on: push,
    file: `
on: [push, pull_request]
env: { DATABASE: postgres }
defaults: { run: { shell: bash, working-directory: app } }
jobs:
  integration:
    name: Integration (\${{ matrix.db }})
    runs-on: [self-hosted, linux]
    container: { image: 'node:20', options: --cpus 1 }
    services: { db: { image: 'postgres:16', ports: ['5432:5432'] } }
    timeout-minutes: 30
    strategy: { matrix: { db: [postgres, mysql] } }
    ${steps}`,
    starts: ['Integration (mysql) [self-hosted,linux]', 'Integration (postgres) [self-hosted,linux]'],
  },
  {
    shape: 'a gate that collects results',
    on: push,
    file: `
on: push
jobs:
  a: { runs-on: x, ${steps} }
  b: { runs-on: x, if: false, ${steps} }
  gate: { runs-on: x, needs: [a, b], if: always(), steps: [{ run: test }] }
  report: { runs-on: x, needs: gate, if: "failure() || cancelled()", steps: [{ run: test }] }`,
    starts: ['a [x]', 'b [] call', 'gate [x] < a,b', 'report [x] < gate'],
  },
  {
    shape: 'a nightly build by schedule',
    on: { events: ['schedule'] },
    file: `on: { schedule: [{ cron: '0 3 * * 1-5' }], workflow_dispatch: {} }\njobs: { a: { runs-on: x, ${steps} } }`,
    starts: ['a [x]'],
  },
  {
    shape: 'a dispatch with inputs of every type',
    on: { events: ['workflow_dispatch'] },
    inputs: { level: 'debug', dry: true, tag: 'v1', target: 'prod', count: '2' },
    file: `
on:
  workflow_dispatch:
    inputs:
      level: { type: choice, options: [info, debug], default: info }
      dry: { type: boolean }
      tag: { type: string, required: true }
      target: { type: environment }
      count: { type: number }
jobs:
  deploy: { name: "Deploy \${{ inputs.tag }} to \${{ inputs.target }}\${{ inputs.dry && ' (dry)' || '' }}", runs-on: "\${{ inputs.level }}", ${steps} }`,
    starts: ['Deploy v1 to prod (dry) [debug]'],
  },
  {
    shape: 'a release is published',
    on: { events: ['release'], types: ['published'] },
    file: `on: { release: { types: [published, prereleased] } }\njobs: { a: { runs-on: x, ${steps} } }`,
    starts: ['a [x]'],
  },
  {
    shape: 'a release is drafted',
    on: { events: ['release'], types: ['created'] },
    file: `on: { release: { types: [published] } }\njobs: { a: { runs-on: x, ${steps} } }`,
    starts: undefined,
  },
  {
    shape: 'a bot on issues and comments',
    on: { events: ['issues'], types: ['opened'] },
    file: `
on: { issues: { types: [opened, labeled] }, issue_comment: { types: [created] } }
permissions: { issues: write }
jobs: { triage: { runs-on: x, if: "github.event_name != 'issue_comment'", ${steps} } }`,
    starts: ['triage [x]'],
  },
  {
    shape: 'branches by pattern, a release branch',
    on: { events: ['push'], branch: 'release/1.x' },
    file: `on: { push: { branches: [main, 'release/**', '!release/old'] } }\njobs: { a: { runs-on: x, ${steps} } }`,
    starts: ['a [x]'],
  },
  {
    shape: 'pushes of everything but the branches of a bot',
    on: { events: ['push'], branch: 'dependabot/npm/x' },
    file: `on: { push: { branches-ignore: ['dependabot/**'] } }\njobs: { a: { runs-on: x, ${steps} } }`,
    starts: undefined,
  },
  {
    shape: 'a reusable workflow for several systems, then a local one',
    on: push,
    file: `
on: push
jobs:
  build:
    strategy: { matrix: { os: [linux, mac] } }
    uses: ./.github/workflows/reusable.yml
    with: { os: "\${{ matrix.os }}" }
    secrets: inherit
  done: { needs: build, runs-on: x, ${steps} }`,
    starts: [
      'build (linux) / compile [linux]',
      'build (linux) [] < build#0/compile call',
      'build (mac) / compile [mac]',
      'build (mac) [] < build#1/compile call',
      'done [x] < build',
    ],
  },
  {
    shape: 'a matrix of a list in JSON, of a variable and of outputs',
    on: push,
    file: `
on: push
jobs:
  fixed: { runs-on: x, strategy: { matrix: { v: "\${{ fromJSON('[1, 2]') }}" } }, ${steps} }
  chosen: { runs-on: "\${{ vars.RUNNER || 'default' }}", ${steps} }
  plan: { runs-on: x, ${steps} }
  later: { runs-on: x, needs: plan, strategy: { matrix: "\${{ fromJSON(needs.plan.outputs.matrix) }}" }, ${steps} }`,
    starts: ['fixed (1) [x]', 'fixed (2) [x]', 'chosen [default]', 'plan [x]', 'later [] < plan deferred'],
  },
  {
    shape: 'one faulty job among others',
    on: push,
    file: `
on: push
jobs:
  good: { runs-on: x, ${steps} }
  bad: { runs-on: x, strategy: { matrix: { a: "\${{ fromJSON(1 }}" } }, ${steps} }
  missing: { uses: ./.github/workflows/none.yml }`,
    starts: ['good [x]', 'bad [] problem', 'missing [] problem'],
  },
  {
    shape: 'composite actions, outputs and summaries of steps',
    on: push,
    file: `
on: push
jobs:
  a:
    runs-on: { group: large, labels: [linux] }
    steps:
      - uses: ./.github/actions/setup
        with: { cache: true }
      - id: x
        run: echo "v=1" >> $GITHUB_OUTPUT; echo '# done' >> $GITHUB_STEP_SUMMARY
      - if: failure() && steps.x.outcome == 'failure'
        run: exit 1`,
    starts: ['a [linux,large]'],
  },
  {
    shape: 'several triggers of which one has no event here',
    on: push,
    file: `on: { push: {}, merge_group: {}, repository_dispatch: { types: [x] }, workflow_run: { workflows: [CI], types: [completed] } }\njobs: { a: { runs-on: x, ${steps} } }`,
    starts: ['a [x]'],
  },
]

testShapes(shapes, describeJob)
