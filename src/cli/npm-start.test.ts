import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { builtFile } from '../lib/assets.ts'
import { dataFolder } from './command.test-support.ts'

/** Returns a script of `package.json` that runs the built program instead of a file of the checkout. */
function scriptOf(name: string): string {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  return (scripts[name] ?? '').replace(/\S+\.m?js$/, `'${builtFile('ingot.js')}' serve`)
}

test('npm start, npm run ingot: a signal to npm ends the server, which stops as after its own signal', async () => {
  for (const name of ['start', 'ingot']) {
    using folder = dataFolder()
    const project = join(folder.path, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), JSON.stringify({ scripts: { [name]: scriptOf(name) } }))
    const npm = spawn('npm', ['run', name, '--', '--data', folder.path, '--host', '127.0.0.1', '--port', '0'], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}` },
    })
    const output = npm.stdout.setEncoding('utf8')
    let text = ''
    for await (const chunk of output.iterator({ destroyOnReturn: false })) {
      text += String(chunk)
      if (text.includes('Ingot serves')) break
    }
    assert.match(text, /Ingot serves/)
    const server = Number(readFileSync(join(folder.path, 'ingot.pid'), 'utf8'))
    npm.kill('SIGTERM')
    await once(npm, 'exit')
    assert.throws(() => process.kill(server, 0), { code: 'ESRCH' }, 'the server outlives npm')
    assert.ok(!existsSync(join(folder.path, 'ingot.pid')), 'the server did not stop in order')
  }
})
