import { describeWhole, pull, push, steps, testShapes, type Shape } from './shapes.test-support.ts'

const job = (more = '') => `{ runs-on: x, ${steps}${more === '' ? '' : `, ${more}`} }`
const one = `jobs: { a: ${job()} }`

const shapes: readonly Shape[] = [
  {
    shape: 'a release is prepared by a bot, and published when it made one',
    on: push,
    file: `
on: { push: { branches: [main] } }
permissions: { contents: write, pull-requests: write }
jobs:
  prepare:
    runs-on: x
    outputs: { created: "\${{ steps.r.outputs.release_created }}", tag: "\${{ steps.r.outputs.tag_name }}" }
    steps: [{ id: r, uses: bots/prepare-release@v4, with: { release-type: node } }]
  publish: ${job('needs: prepare, if: "${{ needs.prepare.outputs.created }}", permissions: { contents: read, id-token: write }')}`,
    starts: ['prepare [x] writes', 'publish [x] < prepare if identifies'],
  },
  {
    shape: 'documentation is built and deployed to pages, one deployment at a time',
    on: push,
    file: `
on: { push: { branches: [main] }, workflow_dispatch: null }
permissions: { contents: read, pages: write, id-token: write }
concurrency: { group: pages, cancel-in-progress: false }
jobs:
  build: ${job()}
  deploy: { needs: build, runs-on: x, environment: { name: github-pages, url: "\${{ steps.d.outputs.page_url }}" }, steps: [{ id: d, uses: a/deploy@v4 }] }`,
    starts: ['build [x] writes identifies', 'deploy [x] < build writes identifies to github-pages'],
    group: 'pages',
  },
  {
    shape: 'a package of a monorepo whose files changed',
    on: push,
    paths: ['packages/api/src/a.ts'],
    file: `on: { push: { paths: ['packages/api/**', '.github/workflows/api.yml', '!**/*.md'] } }\n${one}`,
    starts: ['a [x] writes'],
  },
  {
    shape: 'a monorepo in which only the documentation of a package changed',
    on: push,
    paths: ['packages/api/README.md'],
    file: `on: { push: { paths: ['packages/api/**', '!**/*.md'] } }\n${one}`,
    starts: undefined,
  },
  {
    shape: 'a job that lists the changed packages, and a matrix over them',
    on: pull,
    file: `
on: pull_request
jobs:
  changes: { runs-on: x, outputs: { packages: "\${{ steps.f.outputs.changes }}" }, steps: [{ id: f, uses: a/filter@v3 }] }
  build: ${job('needs: changes, if: "needs.changes.outputs.packages != \'[]\'", strategy: { fail-fast: false, matrix: { package: "${{ fromJSON(needs.changes.outputs.packages) }}" } }')}`,
    starts: ['changes [x] writes', 'build [] < changes deferred if writes'],
  },
  {
    shape: 'a matrix with include that extends and adds',
    on: push,
    file: `
on: push
jobs:
  build:
    name: \${{ matrix.target }} \${{ matrix.cross && '(cross)' || '' }}
    runs-on: \${{ matrix.os }}
    strategy:
      matrix:
        target: [x86, arm]
        os: [linux]
        include:
          - { target: arm, cross: true }
          - { target: wasm, os: mac }
    ${steps}`,
    starts: ['x86 [linux] writes', 'wasm [mac] writes', 'arm (cross) [linux] writes'],
  },
  {
    shape: 'a matrix whose exclude and include are expressions',
    on: push,
    vars: { EXCLUDED: '[{"v": 2}]' },
    file: `
on: push
jobs:
  a: ${job('strategy: { matrix: { v: [1, 2], exclude: "${{ fromJSON(vars.EXCLUDED) }}", include: "${{ fromJSON(\'[{\\"v\\": 3}]\') }}" } }')}`,
    starts: ['a (1) [x] writes', 'a (3) [x] writes'],
  },
  {
    shape: 'a strategy that is one expression, and one from outputs',
    on: push,
    vars: { STRATEGY: '{"fail-fast": false, "matrix": {"v": [1, 2]}}' },
    file: `
on: push
jobs:
  a: ${job('strategy: "${{ fromJSON(vars.STRATEGY) }}"')}
  b: ${job('needs: a, strategy: "${{ fromJSON(needs.a.outputs.strategy) }}"')}
  c: ${job('strategy: "${{ vars.STRATEGY }}"')}`,
    starts: ['a (1) [x] writes', 'a (2) [x] writes', 'b [] < a deferred writes', 'c [] problem'],
  },
  {
    shape: 'reusable workflows with all secrets, and with some',
    on: push,
    file: `
on: push
jobs:
  all: { uses: ./.github/workflows/reusable.yml, with: { os: l }, secrets: inherit }
  some: { uses: ./.github/workflows/reusable.yml, with: { os: l }, secrets: { TOKEN: "\${{ secrets.DEPLOY }}" }, concurrency: { group: "call-\${{ github.run_id }}", cancel-in-progress: true } }`,
    starts: [
      'all / compile [l] writes',
      'all [] < all/compile call',
      'some / compile [l] writes secrets DEPLOY',
      'some [] < some/compile call in call-7!',
    ],
  },
  {
    shape: 'nightly runs that can be started by hand with inputs of each type',
    on: { events: ['workflow_dispatch'] },
    inputs: { level: 'debug', dry: true, count: '3', to: 'staging', note: 'x' },
    file: `
on:
  schedule: [{ cron: '17 3 * * *' }, { cron: '@weekly' }]
  workflow_dispatch:
    inputs:
      level: { type: choice, options: [info, debug], default: info }
      dry: { type: boolean }
      count: { type: number, default: 1 }
      to: { type: environment }
      note: { description: Text }
jobs:
  run: { name: "\${{ inputs.level }} \${{ inputs.count }} \${{ inputs.note }}", runs-on: x, if: "\${{ !inputs.dry }}", environment: "\${{ inputs.to }}", ${steps} }`,
    starts: ['debug 3 x [x] if writes to staging'],
  },
  {
    shape: 'a gate after jobs that may fail',
    on: pull,
    file: `
on: pull_request
jobs:
  lint: ${job()}
  test: ${job('needs: lint, continue-on-error: "${{ github.event_name == \'push\' }}"')}
  gate: { runs-on: x, needs: [lint, test], if: "always() && needs.lint.result == 'success' && contains(fromJSON('[\\"success\\", \\"skipped\\"]'), needs.test.result)", steps: [{ run: exit 0 }] }`,
    starts: ['lint [x] writes', 'test [x] < lint writes', 'gate [x] < lint,test if writes'],
  },
  {
    shape: 'services and a container with credentials',
    on: push,
    file: `
on: push
jobs:
  a:
    runs-on: x
    container: { image: "node:\${{ matrix.node }}", credentials: { username: u, password: "\${{ secrets.P }}" }, volumes: ['/a:/b'] }
    services:
      postgres: { image: 'postgres:16', env: { POSTGRES_PASSWORD: p }, ports: ['5432:5432'], options: '--health-cmd pg_isready' }
      redis: { image: redis }
    strategy: { matrix: { node: [20, 22] } }
    ${steps}`,
    starts: ['a (20) [x] writes', 'a (22) [x] writes'],
  },
  {
    shape: 'defaults, permissions of jobs and expressions of timeouts',
    on: push,
    file: `
on: push
permissions: {}
defaults: { run: { shell: pwsh } }
jobs:
  none: ${job('timeout-minutes: "${{ fromJSON(vars.T || \'10\') }}"')}
  all: ${job('permissions: write-all, defaults: { run: { working-directory: app } }')}
  read: ${job('permissions: read-all')}`,
    starts: ['none [x]', 'all [x] writes identifies', 'read [x]'],
  },
  {
    shape: 'max-parallel and fail-fast as expressions',
    on: push,
    file: `
on: push
jobs: { a: ${job('strategy: { fail-fast: "${{ github.ref == \'refs/heads/main\' }}", max-parallel: "${{ fromJSON(\'2\') }}", matrix: { v: [a, b] } }')} }`,
    starts: ['a (a) [x] writes', 'a (b) [x] writes'],
  },
  { shape: '`on` as a string', on: push, file: `on: push\n${one}`, starts: ['a [x] writes'] },
  {
    shape: '`on` as a list',
    on: pull,
    file: `on: [push, pull_request, merge_group]\n${one}`,
    starts: ['a [x] writes'],
  },
  {
    shape: '`on` as a map of nulls',
    on: pull,
    file: `on:\n  push:\n  pull_request:\n${one}`,
    starts: ['a [x] writes'],
  },
  { shape: '`on` in quotes', on: push, file: `"on":\n  push: { branches: main }\n${one}`, starts: ['a [x] writes'] },
  {
    shape: 'anchors, aliases and merge keys',
    on: push,
    file: `
on: push
jobs:
  a: &base
    runs-on: x
    env: &env { A: 1 }
    steps: &steps [{ run: make }]
  b: { runs-on: y, env: *env, steps: *steps }
  c: { <<: *base, name: Merged, needs: [a, b] }`,
    starts: ['a [x] writes', 'b [y] writes', 'Merged [x] < a,b writes'],
  },
  {
    shape: 'types of pull requests that the event has',
    on: { events: ['pull_request'], types: ['labeled'], branch: 'main' },
    file: `on: { pull_request: { types: [opened, labeled], branches: ['release/**', main] } }\n${one}`,
    starts: ['a [x] writes'],
  },
  {
    shape: 'types of pull requests by default',
    on: { events: ['pull_request'], types: ['labeled'], branch: 'main' },
    file: `on: pull_request\n${one}`,
    starts: undefined,
  },
  {
    shape: 'tags by patterns, and one that is excluded',
    on: { events: ['push'], tag: 'v2.0.0-rc.1' },
    file: `on: { push: { tags: ['v[0-9]+.[0-9]+.[0-9]+*', '!*-rc*'] } }\n${one}`,
    starts: undefined,
  },
  {
    shape: 'branches-ignore for pull requests',
    on: pull,
    file: `on: { pull_request: { branches-ignore: [gh-pages, 'wip/**'] } }\n${one}`,
    starts: ['a [x] writes'],
  },
  {
    shape: 'variables at three levels, and one from `vars` in labels',
    on: push,
    vars: { RUNNERS: '["self-hosted", "big"]' },
    file: `
on: push
env: { A: workflow }
jobs: { a: { runs-on: "\${{ fromJSON(vars.RUNNERS) }}", env: { A: job }, steps: [{ run: x, env: { A: step } }] } }`,
    starts: ['a [self-hosted,big] writes'],
  },
  {
    shape: 'outputs across three jobs, and an artifact that is fetched when it exists',
    on: push,
    file: `
on: push
jobs:
  a: { runs-on: x, outputs: { v: "\${{ steps.s.outputs.v }}", has: "\${{ steps.s.outcome == 'success' }}" }, steps: [{ id: s, run: x }] }
  b: { runs-on: x, needs: a, outputs: { v: "\${{ needs.a.outputs.v }}-b" }, steps: [{ run: x }] }
  c: { runs-on: x, needs: [a, b], name: "C \${{ needs.b.outputs.v }}", steps: [{ uses: actions/download-artifact@v4, if: "needs.a.outputs.has == 'true'" }] }`,
    starts: ['a [x] writes', 'b [x] < a writes', 'C ${{ needs.b.outputs.v }} [x] < a,b writes'],
  },
  {
    shape: 'composite actions of the repository and docker actions',
    on: push,
    file: `
on: push
jobs: { a: { runs-on: x, steps: [{ uses: ./.github/actions/setup }, { uses: 'docker://alpine:3', with: { args: ls } }, { uses: 'owner/repo/path@v1' }] } }`,
    starts: ['a [x] writes'],
  },
  {
    shape: 'concurrency of a file for each pull request, and of its deployment',
    on: pull,
    github: { event: { pull_request: { number: 12 } }, head_ref: 'topic' },
    file: `
on: pull_request
concurrency: { group: "\${{ github.workflow }}-\${{ github.event.pull_request.number || github.ref }}", cancel-in-progress: true }
jobs:
  a: ${job()}
  preview: ${job('needs: a, concurrency: "preview-${{ github.head_ref }}", environment: { name: "pr-${{ github.event.pull_request.number }}", url: "https://pr-${{ github.event.pull_request.number }}.example.com" }')}`,
    starts: ['a [x] writes', 'preview [x] < a writes to pr-12 at https://pr-12.example.com in preview-topic'],
    group: 'CI-12 cancels',
  },
  {
    shape: 'events that this server does not know',
    on: push,
    file: `on: { merge_group: { types: [checks_requested] }, deployment_status: null, discussion: { types: [created] }, watch: { types: started }, page_build: {} }\n${one}`,
    starts: undefined,
  },
  {
    shape: 'deployments to several environments in turn',
    on: push,
    file: `
on: push
jobs:
  staging: ${job('environment: staging, concurrency: staging')}
  production: ${job('needs: staging, environment: { name: production }, concurrency: { group: production, cancel-in-progress: false }, if: "github.ref == \'refs/heads/main\'"')}`,
    starts: [
      'staging [x] writes to staging in staging',
      'production [x] < staging if writes to production in production',
    ],
  },
  {
    shape: 'a job for each shard, with its index and their number',
    on: push,
    file: `
on: push
jobs: { test: { name: "Shard \${{ matrix.shard }} of \${{ strategy.job-total }}", runs-on: x, strategy: { matrix: { shard: [1, 2, 3] } }, ${steps} } }`,
    starts: ['Shard 1 of 3 [x] writes', 'Shard 2 of 3 [x] writes', 'Shard 3 of 3 [x] writes'],
  },
  {
    shape: 'a job that never runs beside a faulty group and environment',
    on: push,
    file: `
on: push
jobs:
  never: ${job('if: "${{ false }}", concurrency: "${{ none( }}"')}
  group: ${job('concurrency: "${{ none( }}"')}
  place: ${job('environment: "${{ steps.x.outputs.y }}"')}
  fine: ${job()}`,
    starts: ['never [] call', 'group [] problem', 'place [] problem', 'fine [x] writes'],
  },
  {
    shape: 'comments of pull requests that start a command',
    on: { events: ['issue_comment'], types: ['created'] },
    file: `
on: { issue_comment: { types: [created] } }
jobs: { a: ${job('if: "github.event.issue.pull_request && startsWith(github.event.comment.body, \'/deploy\')"')} }`,
    starts: ['a [x] if writes'],
  },
]

testShapes(shapes, describeWhole)
