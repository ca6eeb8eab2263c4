//! What the cases of Rack-O try, read off their transcripts.
