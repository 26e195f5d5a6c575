import mermaid from 'mermaid'

// The frame's script takes it from here.
Object.assign(globalThis, { mermaid })
