import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'
import { until } from '../../../testing/until.ts'
import { readNotebook } from './notebook.rules.ts'

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const notebook = {
  nbformat: 4,
  metadata: { language_info: { name: 'python' } },
  cells: [
    { cell_type: 'markdown', source: ['# Waves\n', '\n', '<script>alert(1)</script>\n', '\n', 'and *text*'] },
    {
      cell_type: 'code',
      execution_count: 7,
      source: 'def wave():\n    return "<b>"',
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['<i>printed</i>\n'] },
        { output_type: 'display_data', data: { 'image/png': `${pixel}\n`, 'text/plain': '<Figure>' } },
        { output_type: 'execute_result', data: { 'text/html': '<script>alert(2)</script>', 'text/plain': '42' } },
        { output_type: 'error', ename: 'E', evalue: 'x', traceback: ['\u001b[0;31mTypeError\u001b[0m: no'] },
      ],
    },
  ],
}

test('sourcePage: a notebook is shown with its texts, code and results, and nothing in it executes', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const put = (path: string, text: string) =>
    forge.as('alice').must('POST', `/repos/${repo.fullName}/contents/${path}`, {
      content: Buffer.from(text).toString('base64'),
      message: 'add',
    })
  await put('waves.ipynb', JSON.stringify(notebook))
  await put('broken.ipynb', '{"cells": 5}')
  const guest = new Browser(forge)
  const at = `/${repo.fullName}/src/branch/main`
  const { text } = await guest.get(`${at}/waves.ipynb`)
  assert.match(text, /<h1[^>]*>.*Waves/)
  assert.match(text, /<em>text<\/em>/)
  assert.match(text, /class="hljs-keyword">def</)
  assert.match(text, /\[7\]/)
  assert.match(text, /&lt;i&gt;printed|&lt;i>printed/)
  assert.match(text, new RegExp(`src="data:image/png;base64,${pixel.slice(0, 20)}`))
  assert.match(text, />42</)
  assert.match(text, />TypeError: no</)
  assert.doesNotMatch(text, /<script>alert|<Figure>/)
  assert.match((await guest.get(`${at}/waves.ipynb?display=source`)).text, /id="L1"/)
  assert.match((await guest.get(`${at}/broken.ipynb`)).text, /id="L1"/, 'no notebook is shown as text')
})

test('a notebook is bounded in cells, outputs and images', () => {
  const cell = { cell_type: 'code', source: 'x', outputs: [{ output_type: 'stream', text: 'a'.repeat(50_000) }] }
  const many = readNotebook(JSON.stringify({ nbformat: 4, cells: Array.from({ length: 300 }, () => cell) }))
  assert.deepEqual([many?.cells.length, many?.isCut], [200, true])
  const output = many?.cells[0]?.outputs[0]
  assert.deepEqual(output?.kind === 'text' && [output.text.length, output.isCut], [20_000, true])
  const picture = { output_type: 'display_data', data: { 'image/png': 'A'.repeat(2 << 20) } }
  const drawn = readNotebook(JSON.stringify({ nbformat: 4, cells: [{ ...cell, outputs: [picture, picture] }] }))
  assert.deepEqual(
    drawn?.cells[0]?.outputs.map(({ kind }) => kind),
    ['image', 'left out'],
  )
  const bad = { output_type: 'display_data', data: { 'image/png': '"><script>' } }
  const wrong = readNotebook(JSON.stringify({ nbformat: 4, cells: [{ ...cell, outputs: [bad] }] }))
  assert.equal(wrong?.cells[0]?.outputs[0]?.kind, 'left out')
  assert.equal(readNotebook('[]'), undefined)
  assert.equal(readNotebook('{"nbformat": 3, "cells": []}'), undefined)
})

/** A notebook whose cells take about a second each in the thread of texts. */
const slowNotebook = (name: string): string => {
  const source = (index: number) => `# ${name} ${index}\n\n~~~csharp\n${'ab '.repeat(3500)}${name} ${index}\n~~~\n`
  return JSON.stringify({
    nbformat: 4,
    cells: Array.from({ length: 20 }, (_, index) => ({ cell_type: 'markdown', source: source(index) })),
  })
}

test('sourcePage: notebooks of slow cells that guests open are partly plain and delay nobody else', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  const issue = await forge.given.issue()
  for (const name of ['one', 'two']) {
    await forge.as('alice').must('POST', `/repos/${repo.fullName}/contents/${name}.ipynb`, {
      content: Buffer.from(slowNotebook(name)).toString('base64'),
      message: 'add',
    })
  }
  const done: string[] = []
  const open = async (name: string, address: string): Promise<string> => {
    const path = `/${repo.fullName}/src/branch/main/${name}.ipynb`
    const { status, text } = await new Browser(forge).send('GET', path, undefined, { 'x-forwarded-for': address })
    assert.equal(status, 200)
    done.push(name)
    return text
  }
  const pages = [open('one', '192.0.2.1'), open('two', '192.0.2.2')]
  const comment = async (): Promise<void> => {
    const { status } = await forge.as('root').post(`${issue.api}/comments`, { body: 'a *comment*' })
    assert.equal(status, 201)
    const { text } = await new Browser(forge).get(`/${issue.repo.fullName}/issues/${issue.number}`)
    assert.match(text, /<em>comment<\/em>/)
    done.push('comment')
  }
  const [[first = '', second = '']] = await Promise.all([Promise.all(pages), comment()])
  assert.equal(done[0], 'comment')
  for (const [name, text] of Object.entries({ one: first, two: second })) {
    assert.match(text, new RegExp(`<h1[^>]*>.*${name} 0`), 'the first cells are rendered')
    assert.match(text, /<pre># \w+ \d+\n\n~~~csharp/, 'the last cells are plain')
  }
})

test('sourcePage: when its client leaves, no further cell is rendered', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const repo = await forge.given.repo({ owner: 'alice' })
  await forge.as('alice').must('POST', `/repos/${repo.fullName}/contents/slow.ipynb`, {
    content: Buffer.from(slowNotebook('slow')).toString('base64'),
    message: 'add',
  })
  const { texts } = forge.services
  const before = texts.begun
  const leaving = new AbortController()
  const page = fetch(`${forge.url}/${repo.fullName}/src/branch/main/slow.ipynb`, { signal: leaving.signal })
  await until(() => texts.begun > before, 'a cell is rendered')
  leaving.abort()
  await assert.rejects(page)
  // Texts of other clients come after what was waiting.
  for (const text of ['one', 'two', 'three']) {
    const { status } = await forge.as('alice').post('/markdown', { Text: `*${text}*`, Mode: 'gfm' })
    assert.equal(status, 200)
  }
  // Of the cells one at most was rendered, in the thread of short texts and again in that of long ones.
  assert.ok(texts.begun - before <= 5, `${texts.begun - before} texts began`)
})
