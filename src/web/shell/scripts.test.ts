import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import type { Page, Route } from 'playwright-core'
import { startForge, testPassword } from '../../testing/forge.ts'
import { assetPath, iconFiles } from './assets.ts'
import {
  htmlHeaders,
  isDefined,
  openAs,
  openPage,
  reachValue,
  serveForm,
  skip,
  type Answer,
} from './scripts.test-support.ts'

const attribute = (page: Page, selector: string, name: string) => page.locator(selector).first().getAttribute(name)
/** Text of the element that has the focus. */
const focused = (page: Page) => page.evaluate('document.activeElement?.textContent')
const text =
  (reply: string): Answer =>
  (route) =>
    route.fulfill({ contentType: 'text/html', body: reply })

test('webAsset: scripts, styles and icons of a first visit take less than 54 KB compressed', async () => {
  await using forge = await startForge()
  const { config } = forge.app.services
  let total = 0
  for (const name of ['forge.css', 'forge.js', 'icons.svg'] as const) {
    const reply = await fetch(forge.url + assetPath(config, name), { headers: { 'accept-encoding': 'br' } })
    const sizeBytes = Number(reply.headers.get('content-length'))
    const content = Buffer.from(await reply.arrayBuffer())
    assert.ok(sizeBytes <= brotliCompressSync(content).length, `${name} is compressed as well as possible`)
    if (name === 'icons.svg') assert.ok(sizeBytes <= 6_000, `icons take ${sizeBytes} bytes`)
    if (name === 'forge.js') assert.ok(sizeBytes <= 38_000, `the script takes ${sizeBytes} bytes`)
    total += sizeBytes
  }
  assert.ok(total <= 54_000, `${total} bytes`)
})

test('a real page obeys its own security policy', { skip }, async () => {
  await using forge = await startForge({ users: ['ada'] })
  await using it = await openAs(forge)
  const { page } = it
  const reply = await page.goto('/nobody/nothing')
  assert.equal(reply?.status(), 404)
  await isDefined(page, 'turbo-frame')
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  const drawn = await page.evaluate(
    "[...document.querySelectorAll('use')].filter((use) => use.checkVisibility() && use.getBBox().width === 0).length",
  )
  assert.equal(drawn, 0, 'icons that are not drawn')
  assert.deepEqual(
    it.wrong.filter((each) => !each.includes('404')),
    [],
  )
})

test('the palette leaves the focus when it closes, so that the next key is a shortcut', { skip }, async () => {
  await using forge = await startForge({ users: ['ada'] })
  await using it = await openAs(forge)
  const { page } = it
  await page.goto('/nobody/nothing')
  await isDefined(page, 'turbo-frame')
  await page.keyboard.press('Control+k')
  await page.locator('dialog#palette[open] [role=combobox]').waitFor()
  const focus = await page.evaluate(`(() => {
    const input = document.activeElement
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
    return [input.tagName, document.activeElement.tagName]
  })()`)
  assert.deepEqual(focus, ['INPUT', 'BODY'])
  await page.keyboard.press('?')
  await page.locator('dialog#shortcuts[open]').waitFor()
})

test('the scripts obey the security policy and follow links without a reload', { skip }, async () => {
  await using forge = await startForge()
  const icon = (set: 'icons' | 'icons-large', id: string) =>
    `<svg class="icon" width="16" height="16"><use href="${iconFiles(forge.app.services.config)[set]}#${id}"/></svg>`
  await using it = await openPage(
    forge,
    `<main>${icon('icons', 'repo-16')}${icon('icons-large', 'repo-24')}
    <relative-time datetime="2020-01-02T03:04:05Z">2 January 2020</relative-time>
    <a href="/-/other" data-hotkey="g i">Other</a></main>`,
  )
  const { page } = it
  await page.evaluate('window.isSame = true')
  const shown = await page.evaluate("document.querySelector('relative-time').shadowRoot.textContent")
  assert.equal(shown, 'Jan 2, 2020')
  const drawn = await page.evaluate("[...document.querySelectorAll('use')].map((use) => use.getBBox().width > 5)")
  assert.deepEqual(drawn, [true, true], 'icons are drawn')
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await page.getByRole('heading', { name: 'Other' }).waitFor()
  assert.equal(await page.evaluate('window.isSame'), true, 'the page was replaced, not loaded')
  assert.deepEqual(it.wrong, [])
})

test('links to files are left to the browser, and links to pages about files are not', { skip }, async () => {
  await using forge = await startForge()
  const shown =
    (name: string): Answer =>
    (route) =>
      route.fulfill({ headers: htmlHeaders(forge), body: it.document(`<h1>${name}</h1>`) })
  const pages = ['/a/b/src/branch/main/app.js', '/a/b/_edit/main/app.js', '/a/b/_delete/main/app.js']
  const files = ['/a/b/raw/branch/main/app', '/a/b/archive/main.zip']
  const all = [...pages, ...files]
  await using it = await openPage(
    forge,
    all.map((path) => `<a href="${path}">${path}</a> `).join(''),
    Object.fromEntries(all.map((path) => [path, shown(path)])),
  )
  const { page } = it
  for (const path of all) {
    await page.goto('/-/test')
    await page.evaluate('window.isSame = true')
    await page.getByText(path).click()
    await page.getByRole('heading', { name: path }).waitFor()
    assert.equal(await page.evaluate('window.isSame'), pages.includes(path) ? true : undefined, path)
  }
  assert.deepEqual(it.wrong, [])
})

test('menus open with arrow keys, filter their list, and close on Escape and clicks elsewhere', { skip }, async () => {
  await using forge = await startForge()
  await using it = await openPage(
    forge,
    `<button>elsewhere</button>
    <details class="menu"><summary>Labels</summary><input data-filter-list="#labels" aria-label="Filter">
    <ul id="labels"><li><a href="#a">bug</a></li><li><a href="#b">docs</a></li><li data-filter-empty hidden>None</li></ul></details>
    <details class="menu"><summary>More</summary><a href="#c">c</a></details>`,
  )
  const { page } = it
  const first = page.locator('details').first()
  await page.getByText('Labels').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(page), 'bug')
  await page.keyboard.press('Escape')
  assert.deepEqual([await first.getAttribute('open'), await focused(page)], [null, 'Labels'])
  await page.getByText('Labels').click()
  await page.getByLabel('Filter').fill('DO')
  assert.deepEqual(await page.locator('li:visible').allTextContents(), ['docs'])
  await page.getByLabel('Filter').fill('zz')
  assert.deepEqual(await page.locator('li:visible').allTextContents(), ['None'])
  await page.getByText('More').click()
  assert.equal(await first.getAttribute('open'), null, 'one menu is open at a time')
  await page.getByRole('button', { name: 'elsewhere' }).click()
  assert.equal(await page.locator('details[open]').count(), 0)
  assert.deepEqual(it.wrong, [])
})

test('a press on the text of a choice in a menu ticks it, and the menu stays open', { skip }, async () => {
  await using forge = await startForge()
  await using it = await openPage(
    forge,
    `<main tabindex="-1"><details class="menu"><summary>Labels</summary>
      <input type="checkbox" id="bug"> <label for="bug">bug</label></details></main>`,
  )
  const { page } = it
  await page.locator('summary').click()
  await page.locator('label').click()
  assert.equal(await page.locator('#bug').isChecked(), true)
  assert.equal(await attribute(page, 'details', 'open'), '')
})

test('copy buttons copy, rows follow j, k and x, and ? opens a dialog', { skip }, async () => {
  await using forge = await startForge()
  await using it = await openPage(
    forge,
    `<button data-copy="git clone">copy</button><code id="code">abc</code><button data-copy-from="#code">copy code</button>
    <button data-copy-url="/robots.txt">copy file</button><button data-copy-url="/nobody/nothing">copy nothing</button>
    <ul data-rows><li><input type="checkbox"><a href="#one">one</a></li><li><input type="checkbox"><a href="#two">two</a></li></ul>
    <button data-hotkey="?" data-opens="shortcuts">Keys</button><dialog id="shortcuts">The keys</dialog>`,
  )
  const { page } = it
  await page.getByRole('button', { name: 'copy', exact: true }).click()
  await page.locator('[data-copied=yes]').waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'git clone')
  await page.getByRole('button', { name: 'copy code' }).click()
  await page.locator('[data-copied=yes]', { hasText: 'code' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'abc')
  await page.getByRole('button', { name: 'copy file' }).click()
  await page.locator('[data-copied=yes]', { hasText: 'file' }).waitFor()
  assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /^User-agent:/im)
  await page.getByRole('button', { name: 'copy nothing' }).click()
  await page.locator('[data-copied=no]', { hasText: 'nothing' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  assert.equal(await focused(page), 'two')
  await page.keyboard.press('x')
  assert.deepEqual(await page.evaluate("[...document.querySelectorAll('[type=checkbox]')].map((box) => box.checked)"), [
    false,
    true,
  ])
  await page.keyboard.press('k')
  assert.equal(await focused(page), 'one')
  await page.keyboard.press('?')
  await page.getByText('The keys').waitFor()
  await page.mouse.click(2, 2)
  await page.getByText('The keys').waitFor({ state: 'hidden' })
  assert.deepEqual(
    it.wrong.filter((each) => !each.includes('404')),
    [],
  )
})

test('a form with a question is sent after a yes, and its button is busy meanwhile', { skip }, async () => {
  await using forge = await startForge()
  let sent = 0
  let answer: (() => void) | undefined
  const arrived: Answer = async (route) => {
    sent++
    await new Promise<void>((resolve) => (answer = resolve))
    await route.fulfill({ status: 422, headers: htmlHeaders(forge), body: it.document('<h1>Refused</h1>') })
  }
  await using it = await openPage(
    forge,
    `<form method="post" action="/-/act"><button data-confirm="Delete it?" name="a" value="b">Delete</button></form>
    <template id="confirm-dialog"><dialog><form method="dialog"><p data-question></p>
    <button value="no">Cancel</button><button value="yes">Yes</button></form></dialog></template>`,
    { '/-/act': arrived },
  )
  const { page } = it
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Delete it?').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(sent, 0)
  await page.getByRole('button', { name: 'Delete' }).click()
  const request = page.waitForRequest('**/-/act')
  await page.locator('dialog').getByRole('button', { name: 'Delete' }).click()
  assert.match((await request).postData() ?? '', /^_once=\w{32}&a=b$/)
  await page.locator('body > form button[aria-busy=true]:disabled').waitFor()
  answer?.()
  await page.getByRole('heading', { name: 'Refused' }).waitFor()
  assert.equal(sent, 1)
  assert.deepEqual(
    it.wrong.filter((each) => !each.includes('422')),
    [],
  )
})

test('a form with a question is sent once after a yes to the question of the browser', { skip }, async () => {
  await using forge = await startForge()
  const sent: (string | null)[] = []
  await using it = await openPage(
    forge,
    '<form method="post" action="/-/act" data-confirm="Delete it?"><button name="a" value="b">Delete</button></form>',
    {
      '/-/act': (route) => {
        sent.push(route.request().postData())
        return route.fulfill({ status: 422, headers: htmlHeaders(forge), body: it.document('<h1>Refused</h1>') })
      },
    },
  )
  const { page } = it
  const requests: string[] = []
  let isSure = false
  page.on('dialog', (dialog) => {
    requests.push(dialog.message())
    void (isSure ? dialog.accept() : dialog.dismiss())
  })
  await page.getByRole('button', { name: 'Delete' }).click()
  assert.deepEqual([requests, sent], [['Delete it?'], []])
  isSure = true
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Refused' }).waitFor()
  assert.deepEqual([requests.length, sent.length], [2, 1])
})

test('the pages ask their questions in a dialog, and a yes deletes', { skip }, async () => {
  await using forge = await startForge({ users: ['ada'] })
  await using it = await openAs(forge, 'ada')
  const { page } = it
  await page.goto('/user/settings/account')
  await page.locator('#delete_password').fill(testPassword)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete the account ada? Nobody can bring it back.' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assert.equal((await forge.guest.get('/users/ada')).status, 200)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await dialog.getByRole('button', { name: 'Delete my account' }).click()
  await page.getByText('The account ada is deleted.').waitFor()
  assert.equal((await forge.guest.get('/users/ada')).status, 404)
  assert.deepEqual(it.wrong, [])
})

test('the lists of a group are one, and a key clicks the button of a row or of the ticked rows', { skip }, async () => {
  await using forge = await startForge()
  const row = (name: string) =>
    `<li><input type="checkbox"><a href="#${name}">${name}</a><button type="button" data-row-key="e">${name} done</button></li>`
  await using it = await openPage(
    forge,
    `<div data-rows-group><button type="button" data-row-key="e">ticked done</button>
    <ul data-rows>${row('one')}</ul><ul data-rows>${row('two')}</ul></div>`,
  )
  const { page } = it
  await page.evaluate(
    "window.clicked = []; document.addEventListener('click', ({ target }) => { if (target.dataset.rowKey) window.clicked.push(target.textContent) })",
  )
  await page.keyboard.press('e')
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  assert.equal(await focused(page), 'two', 'the focus is on the next row')
  await page.keyboard.press('x')
  await page.keyboard.press('e')
  assert.deepEqual(await page.evaluate('window.clicked'), ['one done', 'ticked done'])
  assert.deepEqual(it.wrong, [])
})

test('the command palette shows what the server answers and follows the chosen link', { skip }, async () => {
  await using forge = await startForge()
  const answers = (route: Route) => {
    const { searchParams } = new URL(route.request().url())
    if (searchParams.get('q') === 'lost') return route.abort()
    if (searchParams.get('q') === 'none') return text('<p data-note>Nothing is called none</p>')(route)
    const query = `${searchParams.get('q')} from ${searchParams.get('from')}`
    return text(`<a role="option" href="/-/none">None</a><a role="option" href="/-/other">${query}</a>`)(route)
  }
  await using it = await openPage(
    forge,
    `<button data-hotkey="Mod+k" data-opens="palette">Search</button>
    <dialog id="palette" data-url="/-/palette" aria-label="Palette"><input type="search" aria-label="Command">
    <div id="palette-list" role="listbox" aria-label="Commands"></div>
    <p role="status" data-failed="No answer came"></p></dialog>`,
    { '/-/palette': answers },
  )
  const { page } = it
  await page.keyboard.press('Control+k')
  const input = page.getByLabel('Command', { exact: true })
  const status = page.getByRole('status')
  await input.fill('none')
  await status.filter({ hasText: 'Nothing is called none' }).waitFor()
  assert.equal(await page.getByRole('option').count(), 0)
  await input.fill('lost')
  await page.keyboard.press('Enter')
  await status.filter({ hasText: 'No answer came' }).waitFor()
  await input.fill('')
  await input.pressSequentially('oth')
  await page.getByRole('option', { name: 'oth from /-/test' }).waitFor()
  assert.equal(await status.textContent(), '')
  await page.locator('[aria-selected=true]', { hasText: 'None' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Other' }).waitFor()
  assert.deepEqual(it.wrong, ['Failed to load resource: net::ERR_FAILED'], 'the lost answer alone')
})

test('lines of the address are marked, and Shift extends the range', { skip }, async () => {
  await using forge = await startForge()
  const lines = Array.from({ length: 30 }, (_, at) => at + 1)
  await using it = await openPage(
    forge,
    `<table data-lines>${lines.map((at) => `<tr id="L${at}"><td><a href="#L${at}">${at}</a></td></tr>`).join('')}</table>`,
  )
  const { page } = it
  const marked = () => page.locator('tr.is-marked').count()
  await page.getByRole('link', { name: '4', exact: true }).click()
  assert.deepEqual([await marked(), new URL(page.url()).hash], [1, '#L4'])
  await page.getByRole('link', { name: '9', exact: true }).click({ modifiers: ['Shift'] })
  assert.deepEqual([await marked(), new URL(page.url()).hash], [6, '#L4-L9'])
  await page.goto('/-/test#L12-L10')
  await page.reload()
  await page.locator('#L12.is-marked').waitFor()
  assert.equal(await marked(), 3)
  assert.deepEqual(it.wrong, [])
})

test('writing: completion, toolbar, preview and files', { skip }, async () => {
  await using forge = await startForge()
  const posted: string[] = []
  const suggested: string[] = []
  await using it = await openPage(
    forge,
    `<form><input type="hidden" name="_csrf" value="secret"><div data-preview-url="/-/preview">
    <button type="button" role="tab" data-tab="write">Write</button><button type="button" role="tab" data-tab="preview">Preview</button>
    <markdown-toolbar for="text"><md-bold><button type="button">Bold</button></md-bold></markdown-toolbar>
    <div data-panel="write"><file-attachment data-upload-url="/-/upload" input="file"><text-expander keys="@" data-url="/-/suggestions?at=1">
    <textarea id="text" data-markdown aria-label="Text"></textarea></text-expander><input type="file" id="file" aria-label="File">
    <p data-upload-message></p></file-attachment></div><div data-panel="preview" hidden></div></div></form>`,
    {
      '/-/suggestions': (route) => {
        suggested.push(new URL(route.request().url()).search)
        return text('<ul role="listbox" class="suggestions"><li role="option" data-value="@ada">Ada</li></ul>')(route)
      },
      '/-/preview': (route) => {
        posted.push(route.request().postData() ?? '')
        return text('<p><strong>shown</strong></p>')(route)
      },
      '/-/upload': (route) => {
        posted.push(route.request().postData() ?? '')
        return route.fulfill(
          posted.length === 2
            ? { contentType: 'text/plain', body: '![a.png](/attachments/1)' }
            : { status: 413, contentType: 'text/plain', body: 'the file is too large' },
        )
      },
    },
  )
  const { page } = it
  await isDefined(page, 'text-expander')
  const area = page.getByLabel('Text')
  await area.pressSequentially('Hello @a')
  await page.getByRole('option', { name: 'Ada' }).waitFor()
  await page.keyboard.press('Enter')
  assert.equal(await area.inputValue(), 'Hello @ada ')
  assert.deepEqual(suggested, ['?at=1&key=%40&q=', '?at=1&key=%40&q=a'])
  await page.getByText('Bold').click()
  assert.equal(await area.inputValue(), 'Hello @ada ****')
  await page.getByRole('tab', { name: 'Preview' }).click()
  await page.getByText('shown').waitFor()
  assert.equal(await attribute(page, '[data-tab=preview]', 'aria-selected'), 'true')
  assert.equal(posted[0], '_csrf=secret&text=Hello+%40ada+****')
  await page.getByRole('tab', { name: 'Write' }).click()
  await area.fill('')
  const file = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('abc') }
  await page.getByLabel('File').setInputFiles(file)
  while (!(await area.inputValue()).includes('/attachments/1')) await page.waitForTimeout(20)
  assert.equal(await area.inputValue(), '![a.png](/attachments/1)\n')
  assert.match(posted[1] ?? '', /name="_csrf"\r\n\r\nsecret\r\n[^]*name="attachment"; filename="a.png"/)
  await page.getByLabel('File').setInputFiles({ ...file, name: 'b.png' })
  await page.getByText('b.png: the file is too large').waitFor()
  assert.equal(await area.inputValue(), '![a.png](/attachments/1)\n')
  assert.deepEqual(
    it.wrong.filter((each) => !each.includes('413')),
    [],
  )
})

test('drafts: a text that was not sent is in its field again, and one that was sent is not', { skip }, async () => {
  await using forge = await startForge()
  let answer = '/user/login'
  let given = ''
  await using it = await openPage(
    forge,
    () => `<meta name="viewer" content="ada"><form method="post" action="/-/send"><input type="hidden" name="_csrf" value="x">
    <textarea name="text" data-markdown aria-label="Text">${given}</textarea><button>Send</button></form>`,
    {
      // The forge itself answers at these addresses.
      '/-/send': (route) => route.fulfill({ status: 303, headers: { location: answer } }),
    },
  )
  const { page } = it
  const area = page.getByLabel('Text')
  const returns = async (expected: string) => {
    await page.goto('/-/test')
    await page.waitForFunction((text) => document.querySelector('textarea')?.value === text, expected)
  }
  await area.pressSequentially('Half a thought')
  await page.reload()
  await returns('Half a thought')
  await page.getByRole('button').click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await returns('Half a thought')
  given = 'Changed meanwhile'
  await returns('Changed meanwhile')
  // The script has seen that the draft is one of another text.
  await reachValue(page, `Object.keys(localStorage).some((key) => key.includes('\\nearlier\\n'))`, true)
  assert.equal(await area.inputValue(), 'Changed meanwhile')
  given = ''
  await returns('Half a thought')
  answer = '/explore/repos'
  await page.getByRole('button').click()
  await page.getByRole('heading', { name: 'Explore' }).waitFor()
  assert.equal(await page.evaluate(`Object.keys(localStorage).filter((key) => key.startsWith('draft')).length`), 0)
  assert.deepEqual(it.wrong, [])
})

test(
  'drafts: a closed tab, the code editor, another person, age, and what is too large to keep',
  { skip },
  async () => {
    await using forge = await startForge()
    let person = 'ada'
    await using it = await openPage(
      forge,
      () => `<meta name="viewer" content="${person}"><form method="post" action="/-/send">
    <textarea name="text" data-editor aria-label="Text">first</textarea></form><a href="/-/other">Elsewhere</a>`,
    )
    const { page } = it
    const shows = async (expected: string) => {
      await page.goto('/-/test')
      await page.locator('.code-editor .cm-content').waitFor()
      assert.equal(await page.locator('textarea').inputValue(), expected)
      assert.equal(await page.locator('.cm-content').textContent(), expected)
    }
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' draft')
    // Another tab has the drafts too, so those of a closed one remain.
    await page.evaluate('sessionStorage.clear()')
    await shows('first draft')
    person = 'bob'
    await shows('first')
    person = 'ada'
    await shows('first draft')
    const age = `for (const key of Object.keys(localStorage).filter((each) => each.startsWith('draft'))) localStorage.setItem(key,
    JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), atMs: Date.now() - 31 * 24 * 3600 * 1000 }))`
    await page.evaluate(age)
    await shows('first')
    // A text that is larger than the store: leaving asks.
    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.accept()
    })
    await page.locator('.cm-content').click()
    await page.keyboard.type('x')
    await page.evaluate(`const field = document.querySelector('textarea'); field.value = 'y'.repeat(3_100_000);
    field.dispatchEvent(new Event('input', { bubbles: true }))`)
    await page.getByText('Elsewhere').click()
    await page.getByRole('heading', { name: 'Other' }).waitFor()
    assert.deepEqual(questions, ['beforeunload'])
    assert.deepEqual(it.wrong, [])
  },
)

test('drafts: a text that was typed before its script was loaded is kept', { skip }, async () => {
  await using forge = await startForge()
  const typed = Promise.withResolvers<void>()
  await using it = await openPage(
    forge,
    `<meta name="viewer" content="ada"><form method="post" action="/-/send">
    <textarea name="text" data-markdown aria-label="Text"></textarea></form>`,
  )
  const { page } = it
  await page.route(/\/assets\/[^/]*\.js/, async (route) => {
    await typed.promise
    await route.continue()
  })
  await page.reload({ waitUntil: 'commit' })
  await page.getByLabel('Text').pressSequentially('Half a thought')
  typed.resolve()
  await reachValue(page, `Object.keys(localStorage).filter((key) => key.startsWith('draft')).length > 0`, true)
  await page.reload()
  await reachValue(page, `document.querySelector('textarea').value`, 'Half a thought')
  assert.deepEqual(it.wrong, [])
})

test('drafts: plain text fields of several lines have them, and those of secrets do not', { skip }, async () => {
  await using forge = await startForge({ users: ['ada'] })
  const repo = await forge.given.repo({ owner: 'ada' })
  await using it = await openAs(forge, 'ada')
  const { page } = it
  const settings = `/${repo.fullName}/settings/actions/secrets`
  const kept = `Object.keys(localStorage).filter((key) => key.startsWith('draft')).length`
  await page.goto(settings)
  await page.locator('summary', { hasText: 'Add a secret' }).click()
  await page.locator('#secret_data').fill('secret')
  await page.locator('summary', { hasText: 'Add a variable' }).click()
  await page.locator('#variable_data').fill('one\ntwo')
  await reachValue(page, `${kept} === 1`, true)
  await page.goto(settings)
  await reachValue(page, `document.querySelector('#variable_data').value`, 'one\ntwo')
  assert.equal(await page.locator('#secret_data').inputValue(), '')
  assert.deepEqual(it.wrong, [])
})

test('the editor replaces a text area, highlights, and obeys the security policy', { skip }, async () => {
  await using forge = await startForge()
  await using it = await openPage(
    forge,
    `<form><label>Code <textarea data-editor data-language="a.ts" data-indent="tab" name="text">const a = 1</textarea></label></form>`,
  )
  const { page } = it
  const content = page.locator('.cm-content')
  await content.waitFor()
  const keyword = page.locator('.cm-line span', { hasText: 'const' })
  await keyword.waitFor()
  const colourOf = (selector: string) =>
    page.evaluate(
      `getComputedStyle(document.querySelector('.code-editor').shadowRoot.querySelector('${selector}')).color`,
    )
  assert.notEqual(await colourOf('.cm-content'), await colourOf('.cm-line span'), 'the keyword has its own colour')
  await content.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('\nif (a) {')
  assert.equal(await page.locator('textarea').inputValue(), 'const a = 1\nif (a) {}')
  assert.equal(await page.locator('textarea').isVisible(), false)
  assert.deepEqual(it.wrong, [])
})

test('a live page renders the streams of its server, and a refresh keeps what is being written', { skip }, async () => {
  await using forge = await startForge()
  const written = Promise.withResolvers<void>()
  let version = 1
  let opened = 0
  const streams = [
    'data: <turbo-stream action="append" target="list"><template><li>New</li></template></turbo-stream>',
    'data: <turbo-stream action="refresh"></turbo-stream>',
  ]
  await using it = await openPage(
    forge,
    () =>
      `<div data-live="/-/live"></div><ul id="list"></ul><p>Version ${version}</p><textarea aria-label="Text"></textarea>`,
    {
      '/-/live': async (route) => {
        // The browser asks again when the answer ends. The second answer comes when a person has written something.
        const stream = streams[opened++]
        if (stream === undefined) return
        if (opened === 2) await written.promise
        await route.fulfill({ contentType: 'text/event-stream', body: `retry: 100\n\n${stream}\n\n` })
      },
    },
  )
  const { page } = it
  await page.getByText('New').waitFor()
  await page.getByLabel('Text').pressSequentially('draft')
  version = 2
  written.resolve()
  await page.getByText('Version 2').waitFor()
  assert.equal(await page.getByLabel('Text').inputValue(), 'draft')
  assert.deepEqual(it.wrong, [])
})

test('a live page in the background is loaded again only when it is seen', { skip }, async () => {
  await using forge = await startForge()
  const hidden = Promise.withResolvers<void>()
  const again = Promise.withResolvers<void>()
  let version = 1
  let opened = 0
  await using it = await openPage(forge, () => `<div data-live="/-/live"></div><p>Version ${version}</p>`, {
    '/-/live': async (route) => {
      opened++
      // The browser asks again when it has read the first answer.
      if (opened === 2) again.resolve()
      if (opened > 1) return
      await hidden.promise
      const body = 'retry: 100\n\ndata: <turbo-stream action="refresh"></turbo-stream>\n\n'
      await route.fulfill({ contentType: 'text/event-stream', body })
    },
  })
  const { page } = it
  const setHidden = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  await setHidden(true)
  version = 2
  hidden.resolve()
  await again.promise
  assert.equal(await page.getByText('Version 1').count(), 1)
  await setHidden(false)
  await page.getByText('Version 2').waitFor()
  assert.deepEqual(it.wrong, [])
})

test('after a form was sent, its text is gone, and other drafts are still there', { skip }, async () => {
  await using forge = await startForge()
  using form = await serveForm(
    forge,
    (posts) => `<p>Posts: ${posts}</p><form method="post" action="/"><textarea aria-label="Text"></textarea>
    <button>Send</button></form><textarea aria-label="Other"></textarea>`,
  )
  await using it = await openAs(forge)
  const { page } = it
  await page.goto(form.url)
  await isDefined(page, 'turbo-frame')
  await page.getByLabel('Text').pressSequentially('comment')
  await page.getByLabel('Other').pressSequentially('draft')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Posts: 1').waitFor()
  assert.deepEqual(
    [await page.getByLabel('Text').inputValue(), await page.getByLabel('Other').inputValue()],
    ['', 'draft'],
  )
  await page.getByLabel('Text').pressSequentially('more')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Posts: 2').waitFor()
  assert.equal(await page.getByLabel('Text').inputValue(), '')
  assert.deepEqual(it.wrong, [])
})
