import * as Turbo from '@hotwired/turbo'
import { onEach } from './present.ts'
import { whenNothingIsSent } from './sending.ts'

/** A page in the background gives its connection back: browsers allow six per site over HTTP/1.1. */
const backgroundMs = 30_000

/** A frame of Turbo, which shows another page than the address says. */
type Frame = HTMLElement & { readonly reload: () => Promise<void> }

onEach('[data-live]', (element) => {
  const address = element.dataset['live'] ?? ''
  const frame = element.closest<Frame>('turbo-frame[src]')
  const refresh = (message?: string) =>
    whenNothingIsSent(() => {
      if (!element.isConnected) return
      if (frame) void frame.reload()
      else if (message === undefined) Turbo.visit(location.href, { action: 'replace' })
      else Turbo.renderStreamMessage(message)
    })
  let source: EventSource | undefined
  let timer: number | undefined
  /** Whether the page may lack a change. In the background it waits: loading a page marks its notification as read. */
  let isBehind = false
  const open = () => {
    source = new EventSource(address)
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (document.hidden) isBehind = true
      else refresh(data)
    })
  }
  const close = () => {
    source?.close()
    source = undefined
  }
  const onVisibility = () => {
    clearTimeout(timer)
    if (document.hidden) {
      timer = setTimeout(() => {
        close()
        isBehind = true
      }, backgroundMs)
      return
    }
    if (!source) open()
    if (isBehind) refresh()
    isBehind = false
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
      if (!document.hidden) whenNothingIsSent(() => Turbo.visit(location.href, { action: 'replace' }))
    },
    Math.max(1, Number(element.dataset['refreshSeconds'])) * 1000,
  )
  return () => clearInterval(timer)
})
