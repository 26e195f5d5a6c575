import { RelativeTimeElement } from '@github/relative-time-element/relative-time'

/** A time in pages. Without a prefix of its own, the element puts the English `on` before dates in every language. */
class TimeElement extends RelativeTimeElement {
  override get prefix(): string {
    return this.getAttribute('prefix') ?? ''
  }

  override set prefix(value: string) {
    this.setAttribute('prefix', value)
  }
}

customElements.define('relative-time', TimeElement)
