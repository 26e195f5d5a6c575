import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Browser } from '../../testing/browser.ts'
import { startForge } from '../../testing/forge.ts'

test('galleryPage: it exists in development only, and shows every component of forms and parts', async () => {
  await using production = await startForge({ settings: { '': { RUN_MODE: 'prod' } } })
  assert.equal((await new Browser(production).get('/-/ui')).status, 404)
  await using forge = await startForge({ settings: { '': { RUN_MODE: 'dev' } } })
  const { status, text } = await new Browser(forge).get('/-/ui')
  assert.equal(status, 200)
  assert.match(text, /id="refused_name_problem"/)
  const view = readFileSync('src/web/gallery/gallery.view.tsx', 'utf8')
  for (const file of ['button.tsx', 'check-icon.tsx', 'field.tsx', 'form.tsx', 'parts.tsx', 'link.tsx']) {
    const source = readFileSync(`src/web/ui/${file}`, 'utf8')
    for (const [, name] of source.matchAll(/^export (?:const|function) ([A-Z]\w+)/gm)) {
      // These are inside others, or need scripts.
      if (['OutsideLink', 'MenuFilter', 'CopyButton', 'OthersValue'].includes(name ?? '')) continue
      assert.match(view, new RegExp(`<${name}\\b`), `${file}: ${name}`)
    }
  }
})
