/**
 * The reporter of one test process: a line per file, or per test when a filter selects few, and failures with reason and
 * place. An error that nobody caught fails the test that runs. It writes the counts to the file named by INGOT_TEST_RESULT; the runner adds them up.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { inspect } from 'node:util'
import { originalPlace, originalStack } from './original-places.mjs'
import { processorMs } from './process-tree.mjs'

const everyTest = process.env.INGOT_TEST_EVERY === '1'
/** Whether to count processor time. */
const countsCosts = process.env.INGOT_TEST_COSTS === '1'
const slowMs = 2000

/** Name and file of the test that began last. */
let begun = { name: 'an error before the first test', file: undefined }
/** Errors that nobody caught, with the test that ran. */
const uncaught = []
process.on('uncaughtExceptionMonitor', (error) => {
  uncaught.push({ ...begun, error })
  // Node may print the stack and end the process.
  if (error instanceof Error && error.stack !== undefined) error.stack = originalStack(error.stack)
})
process.on('unhandledRejection', (error) => uncaught.push({ ...begun, error }))

/** The duration of a test when it is long. */
const duration = (ms) => (ms >= slowMs ? ` (${(ms / 1000).toFixed(1)} s)` : '')

/** The reason of a failure without frames of the runtime. */
function reason(error) {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : inspect(error, { depth: 6 })
  const frames = originalStack(error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/[( ]node:/.test(line))
    .map((line) => line.replace(`${process.cwd()}/`, ''))
  const cause = error.cause === undefined ? [] : [`caused by: ${reason(error.cause)}`]
  // The test failed, and so did the end of its forge, which the runtime names instead.
  if (error.suppressed !== undefined) cause.push(`first: ${reason(error.suppressed)}`, `then: ${reason(error.error)}`)
  return [`${error.code === undefined ? '' : `${error.code}: `}${error.message}`, ...frames.slice(0, 8), ...cause].join(
    '\n',
  )
}

const pathOf = (file) => (file === undefined ? 'unknown file' : relative(process.cwd(), file))

/** File and line of a test in the sources. */
function placeOf({ file, line = 1, column = 1 }) {
  return file === undefined ? { file: undefined, line: undefined } : originalPlace(file, line, column)
}

/** The line for the tests of one file. */
function fileLine(file, tally) {
  const failed = tally.failed === 0 ? '' : `, ${tally.failed} failed`
  return `${tally.failed === 0 ? '✓' : '✗'} ${file}: ${tally.passed} passed${failed}${duration(tally.ms)}\n`
}

/** Turns the events of a test run into text, in the form that node:test expects of a reporter. */
export default async function* report(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  const durations = {}
  const processorTimes = {}
  let countedMs = 0
  let current = { file: '', passed: 0, failed: 0, ms: 0 }
  for await (const { type, data } of source) {
    if (type === 'test:diagnostic' && data.level === 'error') yield `${data.message}\n`
    if (type === 'test:dequeue') begun = { name: data.name, file: placeOf(data).file }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    // A suite sums up its tests, but it can fail itself, in a hook.
    const isSuite = data.details?.type === 'suite'
    const isSumOnly = isSuite && (type === 'test:pass' || data.details?.error?.failureType === 'subtestsFailed')
    if (isSumOnly || (!isSuite && data.details?.error?.failureType === 'subtestsFailed')) continue
    const place = placeOf(data)
    const file = pathOf(place.file)
    if (file !== current.file) {
      if (!everyTest && current.file !== '') yield fileLine(current.file, current)
      current = { file, passed: 0, failed: 0, ms: 0 }
    }
    current.ms += data.details?.duration_ms ?? 0
    durations[file] = Math.round(current.ms)
    if (countsCosts) {
      const nowMs = processorMs(process.pid)
      processorTimes[file] = (processorTimes[file] ?? 0) + nowMs - countedMs
      countedMs = nowMs
    }
    if (type === 'test:fail' && data.todo === undefined) {
      counts.failed += 1
      current.failed += 1
      const at = `${file}${place.line === undefined ? '' : `:${place.line}`}`
      failures.push({ name: data.name, place: at, reason: reason(data.details?.error?.cause ?? data.details?.error) })
      yield `✗ ${data.name}  [${at}]\n`
      if (everyTest) yield `${failures.at(-1).reason.replaceAll(/^/gm, '    ')}\n`
    } else if (data.skip !== undefined) {
      counts.skipped += 1
      if (everyTest) yield `- ${data.name} (skipped${data.skip === true ? '' : `: ${data.skip}`})\n`
    } else {
      counts.passed += 1
      current.passed += 1
      if (everyTest) yield `✓ ${data.name}${duration(data.details?.duration_ms ?? 0)}\n`
    }
  }
  if (!everyTest && current.file !== '') yield fileLine(current.file, current)
  // A failed test may leave promises behind that reject later.
  for (const { name, file, error } of counts.failed === 0 ? uncaught : []) {
    counts.failed += 1
    failures.push({ name, place: pathOf(file), reason: `nobody caught: ${reason(error)}` })
    yield `✗ ${name}  [${failures.at(-1).place}]\n    ${failures.at(-1).reason.replaceAll('\n', '\n    ')}\n`
  }
  writeFileSync(process.env.INGOT_TEST_RESULT, JSON.stringify({ ...counts, failures, durations, processorTimes }))
}
