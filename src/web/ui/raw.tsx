import type { VNode } from 'preact'
import { jsxTemplate } from 'preact/jsx-runtime'

/** HTML that this program has made and escaped. Texts of people never come here; `Markup` shows sanitised ones. */
export const Raw = ({ html }: { readonly html: string }): VNode => jsxTemplate([html])
