import * as Turbo from '@hotwired/turbo'
import { onEach } from './present.ts'

/** A page in the background gives its connection back: browsers allow six per site over HTTP/1.1. */
const backgroundMs = 30_000

onEach('[data-live]', (element) => {
  const address = element.dataset['live'] ?? ''
  let source: EventSource | undefined
  let timer: number | undefined
  const open = () => {
    source = new EventSource(address)
    Turbo.connectStreamSource(source)
  }
  const close = () => {
    if (!source) return
    Turbo.disconnectStreamSource(source)
    source.close()
    source = undefined
  }
  const onVisibility = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(close, backgroundMs)
    else if (!source) {
      open()
      // What happened meanwhile.
      Turbo.visit(location.href, { action: 'replace' })
    }
  }
  document.addEventListener('visibilitychange', onVisibility)
  open()
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisibility)
    close()
  }
})

onEach('[data-refresh-seconds]', (element) => {
  const timer = setInterval(
    () => {
      if (!document.hidden) Turbo.visit(location.href, { action: 'replace' })
    },
    Math.max(1, Number(element.dataset['refreshSeconds'])) * 1000,
  )
  return () => clearInterval(timer)
})
