import { serveThread } from '../lib/thread-port.ts'
import { highlightedLines } from './highlight.ts'
import { maxHtml } from './limited.ts'
import { renderFile } from './markup.ts'
import { splitMessage } from './message.ts'
import type { MarkupSettings } from './markup-settings.ts'
import { lengthOf, type TextAnswer, type TextJob } from './text-job.ts'
import { textRuns } from './text-runs.ts'

/** The worker thread that reads and renders texts of users. */
serveThread(async (job: TextJob): Promise<TextAnswer> => {
  const answer = await answerTo(job)
  // References have no plain form, and their texts are no longer than their sources.
  if (answer.kind === 'runs') return answer
  const isPlain = answer.kind === 'render' && answer.rendered.isPlain === true
  return isPlain || lengthOf(answer) > maxHtml ? { kind: 'plain' } : answer
})

async function answerTo(job: TextJob): Promise<TextAnswer> {
  if (job.kind === 'runs') return { kind: 'runs', runs: job.sources.map(textRuns) }
  if (job.kind === 'lines') return { kind: 'lines', lines: await highlightedLines(job.source, job.language) }
  const { settings } = job.options
  const options = settings === undefined ? job.options : { ...job.options, settings: sameSettings(settings) }
  if (job.kind === 'messages') {
    return { kind: 'messages', messages: job.sources.map((source) => splitMessage(source, options)) }
  }
  return { kind: 'render', rendered: await renderFile(job.source, job.file, options) }
}

let known: { readonly text: string; readonly settings: MarkupSettings } | undefined

/** Returns one object for equal settings, since each job has a copy and parsers are cached by object. */
function sameSettings(settings: MarkupSettings): MarkupSettings {
  const text = JSON.stringify(settings)
  if (known?.text !== text) known = { text, settings }
  return known.settings
}
