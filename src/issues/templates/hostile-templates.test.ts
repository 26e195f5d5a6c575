import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitFiles } from '../../actions/actions.test-support.ts'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

const folder = '.gitea/ISSUE_TEMPLATE'
const head = 'name: N\nabout: A\n'
const field = (more: string) => `${head}body:\n  - type: input\n    attributes: { label: L }\n${more}`
const ofType = (type: string, rest = '') => `${head}body:\n  - type: ${type}\n    attributes: { label: L${rest} }\n`
const options = (more: string) =>
  `${head}body:\n  - type: dropdown\n    attributes: { label: L, options: [a, b]${more} }\n`
const boxes = (more: string, ofField = '') =>
  `${head}body:\n  - type: checkboxes\n${ofField}    attributes: { label: L, options: [{ label: a${more} }] }\n`

/** Templates with which no form can be made: they are omitted. */
const refused: Readonly<Record<string, string>> = {
  'unknown type': ofType('slider'),
  'type of a prototype': ofType('constructor'),
  'type that is a mapping': `${head}body:\n  - type: { a: b }\n`,
  'body that is a mapping': `${head}body: { type: input }\n`,
  'body of texts': `${head}body: [a, b]\n`,
  'body of nulls': `${head}body: [~, ~]\n`,
  'same id twice': `${field('    id: a\n')}  - type: input\n    id: a\n    attributes: { label: M }\n`,
  'id that is the position of another': `${field('    id: "1"\n')}  - type: input\n    attributes: { label: M }\n`,
  'id with marks': field('    id: "a b"\n'),
  'id that is a number': field('    id: 7\n'),
  'label that is a list': `${head}body:\n  - type: input\n    attributes: { label: [L] }\n`,
  'blank label': ofType('input').replace('label: L', 'label: " "'),
  'default that is a text': options(', default: "0"'),
  'default beyond the options': options(', default: 2'),
  'default below the options': options(', default: -1'),
  'default between options': options(', default: 0.5'),
  'default beyond all numbers': options(', default: .inf'),
  'options that are no texts': ofType('dropdown', ', options: [1, { a: b }]'),
  'no options': ofType('dropdown', ', options: []'),
  'required and hidden field': field('    visible: [content]\n    validations: { required: true }\n'),
  'required field that nobody sees': field('    visible: []\n    validations: { required: true }\n'),
  'required and hidden box': boxes(', required: true, visible: [content]'),
  'required box of a hidden field': boxes(', required: true', '    visible: [content]\n'),
  'required that is a text': field('    validations: { required: "true" }\n'),
  'unknown place': field('    visible: [form, mail]\n'),
  'regular expression that is a list': field('    validations: { regex: [a] }\n'),
  'more questions than a form has': head + 'body:\n' + '  - { type: input, attributes: { label: L } }\n'.repeat(101),
  'nested beyond the limit': `${head}body: ${'['.repeat(5000)}\n`,
  'nested mappings': `${head}x: ${'{a: '.repeat(500)}\n`,
  'aliases that multiply': `${head}a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\nbody: [*d,*d,*d,*d]\n`,
  'alias of itself': `${head}body: &a [*a]\n`,
  'two documents': `${field('')}---\n${field('')}`,
  'bytes that are no text': `${head}\u0000body: []\n`,
}

/** Templates that are odd but sound. */
const accepted: Readonly<Record<string, string>> = {
  'large number': field('    more: 99999999999999999999999\n').replace(
    'label: L',
    'label: L, odd: 123456789012345678901',
  ),
  'number without end': ofType('input', ', odd: .inf, other: .nan'),
  date: ofType('input', ', odd: 2020-01-01, at: 2020-01-01T00:00:00Z'),
  'key of a prototype': ofType('input', ', __proto__: { a: 1 }, constructor: b, toString: c'),
  'binary tag': ofType('input', ', odd: !!binary aGVsbG8='),
  'set and ordered mapping': ofType('input', ', odd: !!set { a, b }, map: !!omap [a: 1]'),
  'keys that are no texts': ofType('input', ', 1: a, true: b, ~: c'),
  'expression that cannot be used': field('    validations: { regex: "(a" }\n'),
  'expression that is slow elsewhere': field('    validations: { regex: "(a+)+$" }\n'),
  'names in a list': field('').replace('about: A', 'about: A\nassignees: [alice, "@bob", 7, [x], nobody]'),
  'names in a text': field('').replace('about: A', 'about: A\nassignees: alice, bob'),
  'names that are none': field('').replace('about: A', 'about: A\nassignees: { a: b }'),
  'HTML everywhere': `name: "<script>alert(1)</script>"\nabout: "<img src=x onerror=alert(1)>"\nbody:\n  - type: markdown\n    attributes: { value: "<script>alert(1)</script><b onclick=alert(1)>b</b>" }\n  - type: input\n    attributes: { label: "<script>alert(1)</script>", description: "<script>alert(1)</script>", placeholder: '"><script>alert(1)</script>', value: '"><script>alert(1)</script>' }\n`,
  'long label': ofType('input').replace('label: L', `label: ${'l'.repeat(5000)}`),
  'as many questions as a form has': head + 'body:\n' + '  - { type: input, attributes: { label: L } }\n'.repeat(100),
}

test('repoGetIssueTemplates, newIssuePage: templates with every kind of fault are omitted, odd ones are forms, and none is a defect', async () => {
  await using forge = await startForge({ users: ['alice', 'bob'] })
  const repo = await forge.given.repo()
  const file = (kind: string, index: number) => `${folder}/${kind}-${String(index).padStart(2, '0')}.yaml`
  const files = Object.fromEntries([
    ...Object.values(refused).map((text, index) => [file('refused', index), text]),
    ...Object.values(accepted).map((text, index) => [file('accepted', index), text]),
  ])
  await commitFiles(forge, repo.api, files)
  const listed = (await forge.guest.must('GET', `${repo.api}/issue_templates`)).json as { file_name: string }[]
  const names = new Map(
    [refused, accepted].flatMap((each, kind) =>
      Object.keys(each).map((name, index) => [file(['refused', 'accepted'][kind] as string, index), name] as const),
    ),
  )
  assert.deepEqual(
    listed.map(({ file_name: path }) => names.get(path)),
    Object.keys(accepted),
  )
  const alice = await Browser.of(forge, 'alice')
  const at = `/${repo.fullName}/issues/new`
  const choose = await alice.get(`${at}/choose`)
  assert.match(choose.text, /refused-00\.yaml<\/code>: field 1 has an unknown type/)
  assert.match(choose.text, new RegExp(`and ${Object.keys(refused).length - 5} more`))
  for (const [path, name] of names) {
    const { status, text } = await alice.get(`${at}?template=${encodeURIComponent(path)}`)
    assert.equal(status, 200, name)
    assert.equal(text.includes('This template cannot be used:'), path.includes('/refused-'), name)
    assert.doesNotMatch(text, /<script>alert|<[^>]* on(?:click|error)=/i, name)
  }
  assert.deepEqual(forge.defects, [])
})

test('newIssuePage, openIssueOfPage: people whom a template assigns are chosen for those who may assign', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol'] })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/collaborators/bob`, { permission: 'write' })
  const form = field('').replace('about: A', 'about: A\nassignees: ["@Bob", nobody]')
  const plain = `---\nname: P\nabout: A\nassignees: bob, alice\n---\ntext\n`
  await commitFiles(forge, repo.api, { [`${folder}/f.yaml`]: form, [`${folder}/p.md`]: plain })
  const templates = (await alice.get(`${repo.api}/issue_templates`)).json
  assert.deepEqual(
    templates.map(({ assignees }: { assignees: unknown }) => assignees),
    [
      ['Bob', 'nobody'],
      ['bob', 'alice'],
    ],
  )
  const chosenFor = async (who: string, template: string) => {
    const { text } = await (
      await Browser.of(forge, who)
    ).get(`/${repo.fullName}/issues/new?template=${folder}/${template}`)
    return [...text.matchAll(/<input[^>]*name="assignee"[^>]*>/g)]
      .filter(([input]) => /\schecked/.test(input))
      .map(([input]) => /value="([^"]*)"/.exec(input)?.[1] ?? '')
      .toSorted()
  }
  assert.deepEqual(await chosenFor('alice', 'f.yaml'), ['bob'])
  assert.deepEqual(await chosenFor('bob', 'p.md'), ['alice', 'bob'])
  assert.deepEqual(await chosenFor('carol', 'p.md'), [], 'others may not assign')
  const browser = await Browser.of(forge, 'alice')
  const sent = { title: 'T', template: `${folder}/f.yaml`, 'field-0': 'x', assignee: 'bob' }
  const made = await browser.submit(`/${repo.fullName}/issues/new?template=${folder}/f.yaml`, 'issues/new"', sent)
  assert.equal(made.status, 303)
  assert.deepEqual(
    (await alice.get(`${repo.api}/issues/1`)).json.assignees.map((each: { login: string }) => each.login),
    ['bob'],
  )
})
