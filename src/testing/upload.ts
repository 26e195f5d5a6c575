import type { SendOptions } from './client.ts'

/** Returns request options with a form that has one file in the field `attachment`. */
export function upload(name: string, content: string): SendOptions & { readonly raw: FormData } {
  const raw = new FormData()
  raw.set('attachment', new File([content], name))
  return { raw }
}
