import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import './admin.css'
import { takeBoot } from './lib/take-boot.ts'
import { takeMailLink } from './lib/take-mail-link.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
createRoot(root).render(
  <StrictMode>
    <App boot={takeBoot()} link={takeMailLink()} />
  </StrictMode>,
)
