import MarkdownIt from 'markdown-it'

// A file of its own in the built program, so that it can be loaded when it is wanted (`text-runs.ts`).
export { MarkdownIt }
