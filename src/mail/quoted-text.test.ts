import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodedMail, withMail, type CaughtMail } from '../testing/mail.ts'
import { addressLines, withoutMedia } from './quoted-text.rules.ts'

const settings = { service: { ENABLE_NOTIFY_MAIL: true } }

/** The text part and the HTML part of a mail. */
function parts(mail: CaughtMail | undefined): { readonly text: string; readonly html: string } {
  const [, text = '', html = ''] = decodedMail(mail).split(/Content-Type: text\/(?:plain|html)/)
  return { text, html }
}

test('mail of an issue: references, relative links and pictures lead to the repository, in both parts', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      const repo = await forge.given.repo({ owner: 'alice', name: 'r', private: true })
      const alice = forge.as('alice')
      const { json } = await alice.must('POST', `${repo.api}/contents/a.md`, { content: '', message: 'first' })
      const { sha } = json.commit
      await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
      await forge.as('bob').must('PUT', `${repo.api}/subscription`)
      const issue = await forge.given.issue({ repo, poster: 'alice', title: 'One' })
      await forge.settle()
      caught.length = 0
      await alice.must('POST', `${issue.api}/comments`, {
        body: [
          `see #1, other/place#3 and ${sha.slice(0, 10)} of @carol, not \\#2, https://elsewhere.example/x`,
          '[guide](docs/guide.md) ![plan](docs/plan.png) <img src="/attachments/some-file" alt="">',
          '[![inside](https://elsewhere.example/p.png)](https://elsewhere.example/target)',
          '<picture><source srcset="https://elsewhere.example/d.png"><img src="https://elsewhere.example/l.png" alt="l"></picture>',
          '<video src="https://elsewhere.example/film.mp4" poster="https://elsewhere.example/poster.png"></video>',
        ].join('\n\n'),
      })
      await forge.settle()
      const { text, html } = parts(caught.find(({ to }) => to[0] === 'bob@example.com'))
      const at = `${forge.url}/alice/r`
      for (const address of [
        `${at}/issues/1`,
        `${forge.url}/other/place/issues/3`,
        `${at}/commit/${sha.slice(0, 10)}`,
        `${forge.url}/carol`,
        `${at}/docs/guide.md`,
        `${at}/docs/plan.png`,
        `${forge.url}/attachments/some-file`,
      ]) {
        assert.ok(html.includes(`<a href="${address}"`), `HTML: ${address} in ${html}`)
        assert.ok(text.includes(`: ${address}`), `text: ${address}`)
      }
      assert.ok(html.includes('<a href="https://elsewhere.example/target"') && html.includes('>inside</a>'))
      assert.doesNotMatch(html, /issues\/2"|<(?:img|picture|source|video)|poster\.png|d\.png/)
      assert.match(html, />some-file<\/a>/)
      assert.equal(text.split('https://elsewhere.example/x').length, 2, 'an address of the source is not repeated')
    },
    { users: ['alice', 'bob', 'carol'], settings },
  ))

test('mail of an issue: the id of a commit is a link only for those who may read code', () =>
  withMail(
    () => 0,
    async (forge, caught) => {
      await forge.as('alice').must('POST', '/orgs', { username: 'guild' })
      const alice = forge.as('alice')
      await alice.must('POST', '/orgs/guild/repos', { name: 'r', private: true })
      const repo = { api: '/repos/guild/r' }
      for (const [name, person, unit] of [
        ['testers', 'bob', 'repo.issues'],
        ['coders', 'carol', 'repo.code'],
      ] as const) {
        const units_map = { 'repo.issues': 'read', [unit]: 'read' }
        // oxlint-disable-next-line no-await-in-loop -- two teams
        const team = await alice.must('POST', '/orgs/guild/teams', { name, permission: 'read', units_map })
        // oxlint-disable-next-line no-await-in-loop -- two teams
        await alice.must('PUT', `/teams/${team.json.id}/members/${person}`)
        // oxlint-disable-next-line no-await-in-loop -- two teams
        await alice.must('PUT', `/teams/${team.json.id}/repos/guild/r`)
        // oxlint-disable-next-line no-await-in-loop -- two teams
        await forge.as(person).must('PUT', `${repo.api}/subscription`)
      }
      const { json } = await alice.must('POST', `${repo.api}/contents/a.md`, { content: '', message: 'first' })
      const sha = json.commit.sha.slice(0, 12)
      await alice.must('POST', `${repo.api}/issues`, { title: 'One', body: `since ${sha}` })
      await forge.settle()
      const linked = (name: string) =>
        parts(caught.find(({ to }) => to[0] === `${name}@example.com`)).html.includes(`/commit/${sha}"`)
      assert.deepEqual([caught.length, linked('bob'), linked('carol')], [2, false, true])
    },
    { users: ['alice', 'bob', 'carol'], settings },
  ))

test('a text of a mail loads nothing, and its text part has each further address once', () => {
  assert.equal(
    withoutMedia('<audio controls="" src="https://a.example/x.ogg"></audio>'),
    link('https://a.example/x.ogg', 'x.ogg'),
  )
  assert.equal(withoutMedia('<img alt="a &gt; b" src="/x?y#z">'), link('/x?y#z', 'a &gt; b'))
  assert.equal(withoutMedia('<img alt="no address">'), 'no address')
  const html =
    '<a class="r" href="https://f.example/1?a=1&amp;b=2"><b>#1</b></a> <a href="https://f.example/1?a=1&amp;b=2">again</a> <a href="#part">x</a>'
  assert.deepEqual(addressLines('text', html), [
    '#1: https://f.example/1?a=1&b=2',
    'again: https://f.example/1?a=1&b=2',
  ])
  assert.deepEqual(addressLines('text https://f.example/1?a=1&b=2', html), [])
})

const link = (href: string, label: string): string => `<a href="${href}" rel="nofollow">${label}</a>`
