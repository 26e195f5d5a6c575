import type { Browser } from '../../testing/browser.ts'

/** Drops a file into a text of the issue at a path, or into a new one of the issues there. Returns the answer: the Markdown that shows the file, or the refusal. */
export async function drop(browser: Browser, path: string, name: string) {
  const file = { field: 'attachment', name, content: Buffer.from(`content of ${name}`) }
  const { status, text } = await browser.upload(`${path}/attachments`, {}, file)
  return { status, text, address: /\/attachments\/[0-9a-f-]+/.exec(text)?.[0] ?? '' }
}
