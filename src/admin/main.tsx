import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import './admin.css'
import { RootBoundary } from './components/error-boundary.tsx'
import { takeMailLink } from './features/session/session.tsx'
import { takeBoot } from './lib/services.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
createRoot(root).render(
  <StrictMode>
    <RootBoundary>
      <App boot={takeBoot()} link={takeMailLink()} />
    </RootBoundary>
  </StrictMode>,
)
