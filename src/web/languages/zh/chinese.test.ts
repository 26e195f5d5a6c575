import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { textsFor } from '../../../mail/texts/texts.ts'
import { Browser } from '../../../testing/browser.ts'
import { startForge } from '../../../testing/forge.ts'

/** Texts of pages and mails, from the root of the project. */
const patterns = ['src/web/languages/zh/*.{ts,tsx}', 'src/mail/texts/zh.ts']

/** Text of the source without comments: they are in English. */
const withoutComments = (source: string): string => source.replaceAll(/\/\*\*.*?\*\/|^\s*\/\/.*$/gms, '')

/** What a Chinese text must not have. */
const faults: Readonly<Record<string, RegExp>> = {
  'a mark of half width beside a Chinese character': /\p{Script=Han}[,;:!?()]|[,;!?)]\p{Script=Han}/u,
  'a full stop of half width after a Chinese character': /\p{Script=Han}\.(?![\w*])/u,
  'no space between a Chinese and a Latin character': /\p{Script=Han}[A-Za-z0-9@#]|[A-Za-z0-9]\p{Script=Han}/u,
  'a space beside a mark of full width': / [，。；：？！、（）”]|[，。；：？！、（）“] (?=[\p{Script=Han}A-Za-z0-9$])/u,
  'a polite form of address': /您/u,
  'traditional characters': /[個條請開關設備碼網頁號檔錄]/u,
}

test('Chinese texts have punctuation of full width, and spaces around Latin words', async () => {
  const found: string[] = []
  const files = globSync(patterns).filter((name) => !name.endsWith('.test.ts'))
  assert.ok(files.length > 40)
  for (const file of files) {
    const lines = withoutComments(await readFile(file, 'utf8')).split('\n')
    for (const line of lines.filter((each) => /\p{Script=Han}/u.test(each))) {
      for (const [fault, pattern] of Object.entries(faults)) {
        if (pattern.test(line)) found.push(`${file}: ${fault}: ${line.trim()}`)
      }
    }
  }
  assert.deepEqual(found, [])
})

test('pages and refused forms are in Chinese for readers of Chinese', async () => {
  await using forge = await startForge({ users: ['alice'] })
  const guest = new Browser(forge)
  const accepting = { 'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8', accept: 'text/html' }
  const shown = (await guest.send('GET', '/user/login', undefined, accepting)).text
  assert.match(shown, /<html lang="zh-Hans"/)
  assert.match(shown, /<title>登录 · Ingot/)
  const alice = await Browser.of(forge, 'alice')
  await forge.as('alice').must('PATCH', '/user/settings', { language: 'zh-CN' })
  const path = '/org/create'
  const form = `action="${path}"`
  assert.match((await alice.get(path)).text, /<h1[^>]*>新建组织<\/h1>/)
  assert.match((await alice.submit(path, form, { org_name: 'a b' })).text, /<title>错误：新建组织/)
})

test('textsFor: mails are in Chinese for people who chose it', () => {
  const i18n = { langs: ['en-US', 'zh-CN'], names: [] }
  for (const language of ['zh-CN', 'zh', 'zh_Hans']) {
    const texts = textsFor({ i18n }, language)
    assert.equal(texts.assigned('bob', 'issue'), 'bob 将此议题指派给你。')
    assert.equal(texts.link.lasts(60), '链接仅可使用一次，1 小时内有效。')
    assert.equal(texts.link.lasts(30), '链接仅可使用一次，30 分钟内有效。')
    assert.equal(texts.language, 'zh-Hans')
  }
})
