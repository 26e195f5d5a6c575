import type { Forge } from './forge.ts'

/** A browser without scripts: keeps cookies and sends forms with their hidden fields. */
export class Browser {
  readonly cookies = new Map<string, string>()

  constructor(readonly forge: Forge) {}

  async send(method: string, path: string, fields?: Record<string, string>, headers: Record<string, string> = {}) {
    const answer = await this.forge.guest.send(method, path, undefined, {
      site: true,
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(fields ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...headers,
      },
      ...(fields ? { raw: new URLSearchParams(fields).toString() } : {}),
    })
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, fields: Record<string, string>) => this.send('POST', path, fields)

  async csrf(path = '/user/login'): Promise<string> {
    const { text } = await this.send('GET', path)
    return /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  }

  async signIn(login: string, password: string, more: Record<string, string> = {}) {
    return this.send('POST', '/user/login', { _csrf: await this.csrf(), user_name: login, password, ...more })
  }
}

/** Decodes the text of an attribute. */
export const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Returns the hidden fields of the form whose address contains `action`. */
export function hiddenFields(html: string, action: string): Record<string, string> {
  const form = [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].find((each) => each[1]?.includes(action))
  const inputs = [...(form?.[2] ?? '').matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescaped(value)]))
}
