import { install, uninstall } from '@github/hotkey'
import { onEach } from './present.ts'

/**
 * Adds the same keys with Shift for characters that need it on some keyboards, such as `/` on a German one: `?` becomes
 * `?,Shift+?`.
 */
const withShift = (hotkey: string): string => (/^[^\w\s,+]$/.test(hotkey) ? `${hotkey},Shift+${hotkey}` : hotkey)

onEach('[data-hotkey]', (element) => {
  install(element, withShift(element.dataset['hotkey'] ?? ''))
  return () => uninstall(element)
})
