import type { ComponentChildren } from 'preact'

/** Attributes of a custom element that the browser bundle defines. */
type CustomElement = Readonly<Record<string, ComponentChildren>>

declare module 'preact' {
  // oxlint-disable-next-line typescript/no-namespace -- the place where Preact looks for elements
  namespace JSX {
    interface IntrinsicElements {
      'relative-time': CustomElement
      'text-expander': CustomElement
      'markdown-toolbar': CustomElement
      'md-header': CustomElement
      'md-bold': CustomElement
      'md-italic': CustomElement
      'md-quote': CustomElement
      'md-code': CustomElement
      'md-link': CustomElement
      'md-image': CustomElement
      'md-unordered-list': CustomElement
      'md-ordered-list': CustomElement
      'md-task-list': CustomElement
      'md-mention': CustomElement
      'md-ref': CustomElement
      'file-attachment': CustomElement
      'turbo-frame': CustomElement
      'turbo-stream': CustomElement
      'turbo-stream-source': CustomElement
    }
  }
}
