import { Fragment, type ComponentChildren, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { Raw } from './raw.tsx'

/** A value that parts of a page read while they are rendered. */
export interface Scope<Value> {
  readonly current: () => Value
  /** Returns what `render` returns; parts that it renders read the value. */
  readonly during: <Result>(value: Value, render: () => Result) => Result
  /** Its children read the value. */
  readonly Within: (props: { readonly value: Value; readonly children?: ComponentChildren }) => VNode
}

/**
 * Returns a scope. Rendering is synchronous, so a variable suffices; contexts and hooks of the library make the whole page
 * take more than twice the time and memory.
 */
export function createScope<Value>(initial: Value): Scope<Value> {
  let current = initial
  const during = <Result,>(value: Value, render: () => Result): Result => {
    const before = current
    current = value
    try {
      return render()
    } finally {
      current = before
    }
  }
  return {
    current: () => current,
    during,
    Within: ({ value, children }) => (
      <Raw html={during(value, () => renderToString(<Fragment>{children}</Fragment>))} />
    ),
  }
}
