import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Config } from '../../config/load-config.ts'
import { pageScope, usePage } from './page-context.ts'
import { Raw } from './raw.tsx'

/**
 * Returns a component for a part of pages that is the same for everybody: it is rendered once. It knows the settings, and
 * no person, address or form.
 */
export function keptPart(View: () => VNode): () => VNode {
  const rendered = new WeakMap<Config, string>()
  return () => {
    const page = usePage()
    const known = rendered.get(page.config)
    if (known !== undefined) return <Raw html={known} />
    const forAll = { ...page, viewer: undefined, csrf: '', url: '', refused: undefined }
    const html = pageScope.during(forAll, () => renderToString(<View />))
    rendered.set(page.config, html)
    return <Raw html={html} />
  }
}
