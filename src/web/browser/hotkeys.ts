import { install, uninstall } from '@github/hotkey'
import { onEach } from './present.ts'

/** What some keyboards need for a character: Shift for `/`, and AltGr or Option for `[`, as on a German one. */
const modifiers = ['Shift', 'Alt', 'Control+Alt', 'Alt+Shift']

/** Adds the same key with such modifiers: `?` becomes `?,Shift+?` and so on. */
const withModifiers = (hotkey: string): string =>
  /^[^\w\s,+]$/.test(hotkey) ? [hotkey, ...modifiers.map((each) => `${each}+${hotkey}`)].join(',') : hotkey

onEach('[data-hotkey]', (element) => {
  install(element, withModifiers(element.dataset['hotkey'] ?? ''))
  return () => uninstall(element)
})

// The list of keys shows those of this machine.
document.documentElement.toggleAttribute('data-apple', /Mac|iP/.test(navigator.platform))
