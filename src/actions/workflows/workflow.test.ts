import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorkBudget } from '../../lib/work-budget.ts'
import { ignoresAll, includesAny } from './filter.rules.ts'
import { planJobs } from './job-plan.ts'
import { combinationText, combinationsOf } from './matrix.rules.ts'
import { matchingEvents, type TriggerSubject } from './trigger.rules.ts'
import { parseWorkflow, type Workflow } from './workflow.parse.ts'

const jobs = '\njobs:\n  a:\n    runs-on: x\n    steps: [{ run: x }]\n'

const parsed = (text: string): Workflow => {
  const result = parseWorkflow(text)
  assert.ok(result.ok, result.ok ? '' : result.problem)
  return result.workflow
}

const problem = (text: string): string => {
  const result = parseWorkflow(text)
  return result.ok ? '' : result.problem
}

test('patterns of branches and paths', () => {
  const fits = (pattern: string, text: string) => includesAny([pattern], [text], new WorkBudget())
  const cases: [string, string, boolean][] = [
    ['rel/*', 'rel/1', true],
    ['rel/*', 'rel/x/2', false],
    ['rel/**', 'rel/x/2', true],
    ['**/*.md', 'top.md', true],
    ['**/*.md', 'docs/deep/b.md', true],
    ['**/*.md', 'docs/b.mdx', false],
    ['**.md', 'docs/deep/b.md', true],
    ['docs/**/x', 'docs/x', true],
    ['docs/**/x', 'docs/a/b/x', true],
    ['docs/**/x', 'docs/ax', false],
    ['*.md', 'docs/b.md', false],
    ['v[12].[0-9]+', 'v1.10', true],
    ['v[12].[0-9]+', 'v3.1', false],
    ['topics?', 'topic', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['[b-a]', 'a', false],
    ['+', '+', false],
  ]
  for (const [pattern, text, want] of cases) assert.equal(fits(pattern, text), want, `${pattern} and ${text}`)
  assert.equal(
    includesAny(['**', '!main', 'ma*'], ['main'], new WorkBudget()),
    true,
    'the last matching pattern decides',
  )
  assert.equal(includesAny(['**', '!main'], ['main'], new WorkBudget()), false)
  assert.equal(ignoresAll(['docs/**'], ['docs/a', 'src/b'], new WorkBudget()), false)
  assert.equal(fits(`${'*a'.repeat(400)}b`, 'a'.repeat(4000)), false, 'the time is bounded by the pattern and the text')
})

test('triggers match by branches, tags, paths and activity types', async () => {
  const events = (on: string, happened: TriggerSubject, paths: string[] = []) =>
    matchingEvents(parsed(`on:\n${on}${jobs}`).triggers, happened, new WorkBudget(), async () => paths)
  const push = (branch: string): TriggerSubject => ({ events: ['push'], branch })
  assert.deepEqual(await events('  push:\n    branches: [main]', push('main')), ['push'])
  assert.deepEqual(await events('  push:\n    branches: [main]', push('side')), [])
  assert.deepEqual(
    await events("  push:\n    tags: ['v*']", push('main')),
    [],
    'a trigger that filters only tags ignores branches',
  )
  assert.deepEqual(await events("  push:\n    tags: ['v*']", { events: ['push'], tag: 'v1' }), ['push'])
  assert.deepEqual(await events('  push:\n    paths: [lib/**]', push('main'), ['lib/a']), ['push'])
  assert.deepEqual(await events('  push:\n    paths-ignore: [lib/**]', push('main'), ['lib/a']), [])
  for (const filter of ['paths: [lib/**]', "paths-ignore: ['**']"]) {
    assert.deepEqual(await events(`  push:\n    ${filter}`, { events: ['push'], tag: 'v1' }, ['a']), ['push'], filter)
  }
  const pull = (type: string): TriggerSubject => ({ events: ['pull_request'], types: [type], branch: 'main' })
  assert.deepEqual(await events('  pull_request:', pull('opened')), ['pull_request'])
  assert.deepEqual(await events('  pull_request:', pull('labeled')), [], '`types` has a default')
  assert.deepEqual(await events("  pull_request:\n    types: ['*ed']", pull('labeled')), ['pull_request'])
  assert.deepEqual(
    await events('  issues:\n    branches: [main]', { events: ['issues'], types: ['opened'] }),
    [],
    'the trigger does not have this filter',
  )
})

test('a matrix is expanded with include and exclude', () => {
  const names = (matrix: Parameters<typeof combinationsOf>[0]) => {
    const result = combinationsOf(matrix, 100)
    return result.ok ? result.combinations.map(combinationText) : result.problem
  }
  assert.deepEqual(
    names({
      os: ['b', 'a'],
      node: [20, 18],
      exclude: [{ os: 'a', node: 18 }],
      include: [
        { os: 'b', color: 'red' },
        { os: 'c', node: 22 },
      ],
    }),
    [' (red, 20, b)', ' (20, a)', ' (red, 18, b)', ' (22, c)'],
  )
  assert.match(String(names({ a: [1], exclude: [{ b: 1 }] })), /does not have/)
  assert.match(String(names({ a: 'x' })), /must be a list/)
  const many = Array.from({ length: 20 }, (_, index) => index)
  assert.match(String(names({ a: many, b: many, c: many })), /more than 100/)
})

test('a problem of a file names its line, the key and the fault', () => {
  assert.match(problem('on: push\njobs: [\n'), /^line \d/)
  assert.equal(
    problem('on: push\njobs:\n  a:\n    needs: b\n    steps: []\n'),
    'line 4: job "a" needs job "b", which does not exist',
  )
  assert.match(
    problem('on: push\njobs:\n  a:\n    needs: b\n    steps: []\n  b:\n    needs: a\n    steps: []\n'),
    /`needs` forms a cycle/,
  )
  assert.match(problem('jobs: {}\n'), /`on` is missing/)
  assert.match(problem('on: push\n'), /needs at least one job/)
  assert.match(problem('on:\n  push: 5\n'), /`on.push` must be a map of filters/)
})

test('hostile files are refused quickly', () => {
  const bomb = Array.from({ length: 12 }, (_, index) => {
    const items = Array.from({ length: 9 }, () => `*a${index}`).join(', ')
    return `a${index + 1}: &a${index + 1} [${items}]`
  })
  assert.notEqual(problem(['a0: &a0 [x]', ...bomb, 'on: push'].join('\n') + jobs), '')
  assert.match(problem(`on: ${'['.repeat(20_000)}`), /deep/)
  const nested = Array.from({ length: 60 }, (_, index) => `${' '.repeat(index)}a:`).join('\n')
  assert.match(problem(`on: push\n${nested}${jobs}`), /deep/)
  assert.match(problem(`x: [${'1,'.repeat(30_000)}1]`), /more than \d+ values/)
})

const plan = async (text: string, contexts: Parameters<typeof planJobs>[1] = { vars: {} }) =>
  planJobs(parsed(text), contexts)

test('the name of a matrix job is its evaluated template, in the order of the combinations', async () => {
  const jobs = (name: string, strategy = '{ matrix: { v: [two, one], n: [1] } }') =>
    `on: push\njobs:\n  t: { name: "${name}", runs-on: x, strategy: ${strategy}, steps: [{ run: x }] }\n`
  const namesOf = async (text: string) => {
    const result = await plan(text, { vars: { WHO: 'me' } })
    assert.ok(result.ok)
    for (const { name, payload } of result.jobs) assert.ok(payload.includes(`name: ${name}\n`), payload)
    return result.jobs.map(({ name }) => name)
  }
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['Job ${{ matrix.v }}', ['Job one', 'Job two']],
    ['${{ vars.WHO }} ${{ matrix.n }}', ['me 1', 'me 1']],
    ['Job', ['Job (1, one)', 'Job (1, two)']],
    ['${{ matrix.none }}', ['t', 't']],
    // Only the runner can evaluate these.
    ['of ${{ needs.a.outputs.b }}', ['of ${{ needs.a.outputs.b }} (1, one)', 'of ${{ needs.a.outputs.b }} (1, two)']],
  ]
  for (const [template, names] of cases) assert.deepEqual(await namesOf(jobs(template)), names, template)
  assert.deepEqual(await namesOf(jobs('by ${{ vars.WHO }}', '{}')), ['by me'])
})

test('expressions in labels and matrices are evaluated when the run is created', async () => {
  const text = `on: push
jobs:
  t:
    runs-on: ['\${{ matrix.os }}', '\${{ vars.SPEED }}']
    strategy:
      matrix:
        os: \${{ fromJSON(vars.SYSTEMS) }}
    steps: [{ run: x }]
`
  const result = await plan(text.replace('os: ${{ fromJSON(vars.SYSTEMS) }}', 'os: [a, b]'), {
    vars: { SPEED: 'fast' },
  })
  assert.ok(result.ok)
  assert.deepEqual(
    result.jobs.map(({ name, runsOn }) => [name, runsOn]),
    [
      ['t (a)', ['a', 'fast']],
      ['t (b)', ['b', 'fast']],
    ],
  )
  const whole = `on: push
jobs:
  t:
    runs-on: x
    strategy:
      matrix: \${{ fromJSON(vars.MATRIX) }}
    steps: [{ run: x }]
`
  const from = await plan(whole, { vars: { MATRIX: '{"n": [1, 2]}' } })
  assert.ok(from.ok && from.jobs.length === 2)
  const wrong = await plan(whole, { vars: {} })
  assert.ok(!wrong.ok && wrong.problem.startsWith('job "t": expression'))
})

test('expressions inside a matrix are evaluated, at each depth', async () => {
  const contexts = { vars: { LIST: '["a","b"]', ONE: 'a', MAPS: '[{"os":"c","n":1}]', OUT: '[{"os":"c"}]' } }
  const namesOf = async (matrix: string) => {
    const text = `on: push\njobs:\n  t:\n    runs-on: x\n    strategy: { matrix: ${matrix} }\n    steps: [{ run: x }]\n`
    const result = await plan(text, contexts)
    return result.ok ? result.jobs.map(({ name }) => name) : result.problem
  }
  const list = '"${{ fromJSON(vars.LIST) }}"'
  const maps = '"${{ fromJSON(vars.MAPS) }}"'
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [`{ os: ${list} }`, ['t (a)', 't (b)']],
    [`{ os: ["\${{ vars.ONE }}", "x-\${{ vars.ONE }}"] }`, ['t (a)', 't (x-a)']],
    [`{ os: ${list}, exclude: [{ os: "\${{ vars.ONE }}" }] }`, ['t (b)']],
    [`{ os: [a], include: ${maps} }`, ['t (1, c)', 't (a)']],
    [`{ os: [a], include: [{ os: a, n: "\${{ fromJSON('7') }}" }] }`, ['t (7, a)']],
    [`{ os: [a, c], exclude: "\${{ fromJSON(vars.OUT) }}" }`, ['t (a)']],
    [`{ os: [{ name: "\${{ vars.ONE }}" }] }`, ['t ({"name":"a"})']],
  ]
  for (const [matrix, names] of cases) assert.deepEqual(await namesOf(matrix), names, matrix)
  assert.match(String(await namesOf('{ os: "${{ fromJSON(1) }}" }')), /must be a list/)
  const many = Array.from({ length: 2100 }, () => '"${{ vars.ONE }}"').join(', ')
  assert.match(String(await namesOf(`{ os: [${many}] }`)), /more than 2000 expressions/)
})

test('the expressions of a run are counted by number and length; names beyond the limit stay as the file writes them', async () => {
  const evaluated = async (name: string, jobs: number) => {
    const job = (at: number) => `  j${at}: { name: "${name}", runs-on: x, steps: [{ run: x }] }\n`
    const text = `on: push\njobs:\n${Array.from({ length: jobs }, (_, at) => job(at)).join('')}`
    const result = await plan(text, { vars: { V: 'v' } })
    assert.ok(result.ok)
    return result.jobs.filter(({ name: planned }) => /^v+$/.test(planned)).length
  }
  const expression = '${{ vars.V }}'
  assert.equal(await evaluated(expression, 200), 200)
  assert.equal(await evaluated(expression.repeat(100), 200), 66)
  assert.equal(await evaluated(`\${{ format('{0}', ${"'v' || ".repeat(500)}'v') }}`, 200), 142)
  const groups = `on: push\njobs:\n  t:\n    runs-on: x\n    strategy: { matrix: { a: [${Array.from({ length: 200 }, (_, at) => at).join()}] } }\n    concurrency: "${expression.repeat(100)}"\n    steps: [{ run: x }]\n`
  const result = await plan(groups, { vars: { V: 'v' } })
  assert.match(result.ok ? result.problem : result.problem, /too many or too long/)
})

test('a mistake in a job fails this job, and a job that never runs plans nothing', async () => {
  const good = '  good: { runs-on: x, steps: [{ run: x }] }\n'
  const faulty = [
    'strategy: { matrix: { a: "${{ fromJSON(vars.NONE) }}" } }, runs-on: x, steps: [{ run: x }]',
    'strategy: { matrix: { a: "${{ none( }}" } }, runs-on: x, steps: [{ run: x }]',
    'strategy: { matrix: { a: 5 } }, runs-on: x, steps: [{ run: x }]',
    'strategy: { matrix: [1] }, runs-on: x, steps: [{ run: x }]',
    'strategy: { matrix: { a: [1], exclude: [{ b: 1 }] } }, runs-on: x, steps: [{ run: x }]',
    `strategy: { matrix: { a: [${'1, '.repeat(300)}] } }, runs-on: x, steps: [{ run: x }]`,
    'runs-on: "${{ none( }}", steps: [{ run: x }]',
    'runs-on: [[x]], steps: [{ run: x }]',
    'uses: ./.gitea/workflows/none.yml',
  ]
  for (const body of faulty) {
    const result = await plan(`on: push\njobs:\n${good}  bad: { ${body} }\n`)
    assert.ok(result.ok, body)
    assert.deepEqual(
      result.jobs.map(({ key, problem }) => [key, problem === undefined]),
      [
        ['good', true],
        ['bad', false],
      ],
      body,
    )
    assert.match(result.problem, /^job "bad": /)
    const alone = await plan(`on: push\njobs:\n  bad: { ${body} }\n`)
    assert.ok(!alone.ok && alone.problem === result.problem, 'a run without another job fails')
    for (const never of ['false', '"${{ false }}"', '"False "']) {
      const skipped = await plan(`on: push\njobs:\n${good}  bad: { if: ${never}, ${body} }\n`)
      assert.ok(skipped.ok && skipped.problem === '' && skipped.jobs.length === 2, `${never}: ${body}`)
    }
  }
  const wide = (key: string) =>
    `  ${key}: { strategy: { matrix: { a: [${Array.from({ length: 200 }, (_, at) => at).join(', ')}] } }, runs-on: x, steps: [{ run: x }] }\n`
  const many = await plan(`on: push\njobs:\n${['a', 'b', 'c'].map(wide).join('')}`)
  assert.ok(!many.ok && /more than 512 jobs/.test(many.problem), 'a limit of the run fails the run')
})

test('expressions with very long results are refused', async () => {
  const nest = (depth: number): string => (depth === 0 ? "'0123456789'" : `format('{0}{0}{0}{0}', ${nest(depth - 1)})`)
  const text = `on: push\njobs:\n  t:\n    runs-on: "\${{ ${nest(40)} }}"\n    steps: [{ run: x }]\n`
  const result = await plan(text)
  assert.ok(!result.ok && /too long/.test(result.problem))
})
