import { serveThread } from '../lib/thread-port.ts'
import { renderFile } from './markup.ts'
import type { MarkupSettings } from './markup-settings.ts'
import type { TextAnswer, TextJob } from './text-job.ts'
import { textRuns } from './text-runs.ts'

/** The thread that reads and renders what people wrote. */
serveThread(async (job: TextJob): Promise<TextAnswer> => {
  if (job.kind === 'runs') return { kind: 'runs', runs: job.sources.map(textRuns) }
  const { settings } = job.options
  const options = settings === undefined ? job.options : { ...job.options, settings: sameSettings(settings) }
  return { kind: 'render', rendered: await renderFile(job.source, job.file, options) }
})

let known: { readonly text: string; readonly settings: MarkupSettings } | undefined

/** Each job brings a copy of the settings; parsers are kept by the object. */
function sameSettings(settings: MarkupSettings): MarkupSettings {
  const text = JSON.stringify(settings)
  if (known?.text !== text) known = { text, settings }
  return known.settings
}
