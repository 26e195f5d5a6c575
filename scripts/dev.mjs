#!/usr/bin/env node
/**
 * Serves from the sources and restarts the server when they change. A failing build leaves the server running.
 *
 *     npm run dev [-- OPTION…]      the options of `ingot serve`
 */
import { spawn } from 'node:child_process'
import { bundleOptions, existingEntries, ownBuildFolder, programEntries } from './lib/bundle.mjs'
import { ensureReady, fromRoot, toolEnvironment } from './lib/project.mjs'

await ensureReady()
const { context, formatMessages } = await import('esbuild')
const folder = ownBuildFolder('dev')
const stopTimeoutMs = 5000
let server
let stopping = false
let restart = Promise.resolve()

async function stopServer() {
  const child = server
  server = undefined
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended
  clearTimeout(timer)
}

async function startServer() {
  await stopServer()
  if (stopping) return
  server = spawn(process.execPath, ['--enable-source-maps', `${folder}/ingot.js`, 'serve', ...process.argv.slice(2)], {
    cwd: fromRoot(),
    stdio: 'inherit',
    env: toolEnvironment({ INGOT____RUN_MODE: process.env.INGOT____RUN_MODE ?? 'dev' }),
  })
}

const restartAfterBuild = {
  name: 'restart-after-build',
  setup(build) {
    build.onEnd(async (result) => {
      const messages = [
        ...(await formatMessages(result.errors, { kind: 'error', color: process.stderr.isTTY })),
        ...(await formatMessages(result.warnings, { kind: 'warning', color: process.stderr.isTTY })),
      ]
      for (const message of messages) process.stderr.write(message)
      if (result.errors.length === 0) restart = restart.then(startServer)
    })
  },
}

const options = bundleOptions(existingEntries(programEntries), folder)
const watcher = await context({ ...options, plugins: [...options.plugins, restartAfterBuild] })
await watcher.watch()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => void stop())
}

async function stop() {
  stopping = true
  await restart
  await stopServer()
  await watcher.dispose()
  process.exit(0)
}
