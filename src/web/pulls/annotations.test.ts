import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles as commitWorkflow, TestRunner, workflow } from '../../actions/actions.test-support.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge, type Forge } from '../../testing/forge.ts'
import { commitFiles } from '../../testing/given-pull.ts'
import { openAs, reachValue, skip } from '../shell/scripts.test-support.ts'

const lines = (count: number) => Array.from({ length: count }, (_, number) => `line ${number + 1}\n`).join('')

/** A pull request that changes the end of a long file and adds another, with a runner that has its task. */
async function withTask(forge: Forge, more: object = {}) {
  const repo = await forge.given.repo({ owner: 'alice', ...more })
  await commitWorkflow(forge, repo.api, {
    '.forgejo/workflows/lint.yml': `name: Lint\n${workflow('pull_request')}`,
    'long.txt': lines(100),
  })
  const head = await commitFiles(forge, repo, 'topic', { 'long.txt': `${lines(100)}more\n`, 'new.txt': lines(5) })
  const { json: pull } = await forge
    .as('alice')
    .must('POST', `${repo.api}/pulls`, { head: 'topic', base: 'main', title: 'Notes' })
  await forge.settle()
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  const task = await runner.must()
  const files = `/${repo.fullName}/pulls/${pull.number}/files`
  return { repo, runner, task, head, files, number: pull.number as number, api: `${repo.api}/pulls/${pull.number}` }
}

const notesIn = (html: string) => html.match(/<div class="line-note /g)?.length ?? 0

test('pullFilesPage, commitPage: annotations of the newest run stand below their lines; others are on the run', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const { repo, runner, task, head, files, api } = await withTask(forge)
  await forge.as('alice').must('POST', `${api}/reviews`, {
    event: 'COMMENT',
    comments: [{ path: 'new.txt', new_position: 2, body: 'a thread' }],
  })
  await runner.log(
    task,
    0,
    [
      '::error file=new.txt,line=2,title=<i>T</i>::<img src=x> is wrong',
      '::warning file=long.txt,line=100,endLine=101::at the end',
      '::warning file=long.txt,line=3::far away',
      '::notice file=elsewhere.txt,line=1::not here',
      '::notice::no file',
      `::notice file=new.txt,line=4::${'long '.repeat(100)}`,
    ],
    true,
  )
  await runner.finish(task, 'FAILURE')
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const page = (await alice.get(files)).text
  assert.equal(notesIn(page), 3)
  assert.match(page, /id="diff-\d-R2"[^]*?aria-label="Annotations of line 2"[^]*?<strong>&lt;i(?:&gt;|>)T[^]*?a thread/)
  assert.match(page, /&lt;img src=x(?:&gt;|>) is wrong/)
  assert.match(page, /id="diff-\d-R101"[^]*?aria-label="Annotations of line 101"[^]*?at the end/)
  assert.doesNotMatch(page, /far away|not here|no file|<img src=x/)
  const run = `/${repo.fullName}/actions/runs/1`
  assert.ok(page.includes(`href="${run}/jobs/0?line=1#L1"`))
  assert.match(page, new RegExp(`href="${run}#annotations"[^]*?Lint: 1 error, 2 warnings, 3 notices`))
  assert.match(page, /<summary>(?:long )+(?:lo?n?g?)?…<\/summary>/)
  const onRun = (await alice.get(run)).text
  for (const text of ['far away', 'not here', 'no file']) assert.ok(onRun.includes(text), text)
  // The other layout, one file alone, and the page of the commit.
  assert.equal(notesIn((await alice.get(`${files}?style=split`)).text), 3)
  assert.equal(notesIn((await alice.get(`${files}?file=long.txt&context=100`)).text), 2)
  assert.equal(notesIn((await alice.get(`/${repo.fullName}/commit/${head}`)).text), 2)

  // A newer run of the workflow replaces the annotations; who may not read runs sees none.
  await alice.submit(run, `${run}/rerun`)
  const again = await runner.must()
  await runner.log(again, 0, ['::warning file=new.txt,line=1::newer'], true)
  await runner.finish(again)
  const newer = (await alice.get(files)).text
  assert.deepEqual([notesIn(newer), newer.includes('newer')], [1, true])
  await forge.as('alice').must('PATCH', repo.api, { has_actions: false })
  assert.equal(notesIn((await alice.get(files)).text), 0)
})

test('pullFilesPage: a page shows a bounded number of annotations, and says so', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const { runner, task, files } = await withTask(forge)
  const notes = ['notice', 'error'].flatMap((level) =>
    Array.from({ length: 40 }, (_, number) => `::${level} file=new.txt,line=${(number % 5) + 1}::${level} ${number}`),
  )
  await runner.log(task, 0, notes, true)
  await runner.finish(task, 'FAILURE')
  const page = (await (await Browser.of(forge, 'alice')).get(files)).text
  assert.equal(notesIn(page), 50)
  assert.match(page, /Only the first 50 annotations are shown at their lines/)
  for (let number = 0; number < 40; number++) assert.ok(page.includes(`error ${number}<`), `error ${number}`)
  assert.match(page, /<summary>7 further annotations<\/summary>/)
})

test('commitPage: the run of a stranger for a commit of the repository replaces no annotations', async () => {
  await using forge = await startForge({ users: ['alice', 'eve'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const jobs = workflow('[push, pull_request]')
  await commitWorkflow(forge, repo.api, { '.forgejo/workflows/lint.yml': jobs })
  const runner = await TestRunner.register(forge, `${repo.api}/actions/runners`)
  await runner.finish(await runner.must())
  const head = await commitFiles(forge, repo, 'topic', { 'new.txt': lines(5) })
  await forge.settle()
  const own = await runner.must()
  await runner.log(own, 0, ['::warning file=new.txt,line=1::from the push'], true)
  await runner.finish(own)
  await forge.as('eve').must('POST', `${repo.api}/forks`, {})
  await forge.settle()
  await forge.as('eve').must('POST', `${repo.api}/pulls`, { title: 'Mine', head: 'eve:topic', base: 'main' })
  await forge.settle()
  const alice = await Browser.of(forge, 'alice')
  const run = `/${repo.fullName}/actions/runs/3`
  assert.equal((await alice.submit(run, `${run}/approve`)).status, 303)
  const theirs = await runner.must()
  await runner.log(theirs, 0, ['::notice file=new.txt,line=1::from the stranger'], true)
  await runner.finish(theirs)
  const { text } = await alice.get(`/${repo.fullName}/commit/${head}`)
  assert.match(text, /from the push/)
  assert.match(text, /from the stranger/)
})

test(
  'in a browser: an annotation leads by keys to its line of the log, and a failed job opens at its line',
  { skip },
  async () => {
    await using forge = await startForge({ users: ['alice'] })
    const { repo, runner, task, files } = await withTask(forge)
    const noise = Array.from({ length: 400 }, (_, number) => `noise ${number}`)
    await runner.log(
      task,
      0,
      ['set up', '::warning file=new.txt,line=2::early', ...noise, '::error::the end', ...noise.slice(0, 100)],
      true,
    )
    const step = {
      startedAt: '2024-05-01T10:00:00Z',
      id: '0',
      logIndex: '2',
      logLength: '501',
      result: 'RESULT_FAILURE',
    }
    await runner.call('UpdateTask', { state: { id: task.id, result: 'RESULT_FAILURE', steps: [step] } })
    await using it = await openAs(forge, 'alice')
    const { page } = it
    await page.goto(files)
    await page.locator('.line-note-job').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.hash === '#L2')
    const isSeen = (line: string) => `(() => {
    const line = document.getElementById('${line}')
    if (!line || !line.checkVisibility()) return false
    const { top, bottom } = line.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })()`
    await reachValue(page, isSeen('L2'), true)

    // Opened by a link and by its address.
    await page.goto(`/${repo.fullName}/actions/runs/1`)
    await page.locator('.run-jobs a', { hasText: 'build' }).click()
    await reachValue(page, isSeen('L403'), true)
    await page.goto(`/${repo.fullName}/actions/runs/1/jobs/0`)
    await reachValue(page, isSeen('L403'), true)
    await reachValue(page, `document.querySelectorAll('.log-section[open]').length === 1`, true)
    assert.deepEqual(it.wrong, [])
  },
)
