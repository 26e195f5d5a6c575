import Turndown from 'turndown'

const converter = new Turndown({
  headingStyle: 'atx',
  hr: '---',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  emDelimiter: '_',
})
  .keep(['table', 'sub', 'sup', 'kbd'])
  .addRule('reference', {
    filter: (node) => node.matches('a.mention, a.ref-issue, span.emoji, span.issue-keyword'),
    replacement: (content) => content,
  })
  .addRule('struck', { filter: 'del', replacement: (content) => `~~${content}~~` })
  .addRule('task', {
    filter: (node) => node.matches('input[type=checkbox]'),
    replacement: (_content, node) => ((node as HTMLInputElement).checked ? '[x] ' : '[ ] '),
  })
  .addRule('suggestion', {
    filter: (node) => node.matches('pre:has(> .language-suggestion)'),
    replacement: (_content, node) => {
      const lines = [...node.querySelectorAll('ins')].map((line) => line.textContent)
      return `\n\n\`\`\`\n${lines.join('')}\`\`\`\n\n`
    },
  })

/** Adds a rendered text as a quotation to a field, and puts the cursor below it. */
export function quote(text: Node, field: HTMLTextAreaElement): void {
  const holder = document.createElement('div')
  holder.append(text instanceof DocumentFragment ? text : text.cloneNode(true))
  for (const part of holder.querySelectorAll('button, .needs-script, iframe, template')) part.remove()
  const markdown = converter.turndown(holder).trim()
  if (markdown === '') return
  const quoted = markdown
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
  const before = field.value.trimEnd()
  field.value = `${before === '' ? '' : `${before}\n\n`}${quoted}\n\n`
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.focus()
  field.setSelectionRange(field.value.length, field.value.length)
  field.scrollIntoView({ block: 'center' })
}
