# A small library: shelves hold books, readers borrow and return them. It exists to try the Ruby coverage probe.
require "sinatra/base"
require "json"

class Library < Sinatra::Base
  set :show_exceptions, false
  set :raise_errors, false
  set :protection, false
  set :host_authorization, { permitted_hosts: [] }

  SHELVES = {}
  BOOKS = {}
  LOANS = {}

  before { content_type :json }

  helpers do
    def body_of
      value = JSON.parse(request.body.read)
      value.is_a?(Hash) ? value : refuse(400, "an object is expected")
    rescue JSON::ParserError
      refuse(400, "not JSON")
    end

    def refuse(status, text)
      halt status, JSON.generate(message: text)
    end

    def found(from, id, what)
      from[id.to_i] || refuse(404, "no such #{what}")
    end
  end

  error { JSON.generate(message: env["sinatra.error"].message) }

  get("/openapi.json") { File.read(File.join(__dir__, "openapi.json")) }
  get("/shelves") { JSON.generate(SHELVES.values) }

  post "/shelves" do
    topic = body_of["topic"]
    refuse(422, "topic is missing") unless topic.is_a?(String) && !topic.empty?
    shelf = { id: SHELVES.size + 1, topic: topic, places: 3 }
    SHELVES[shelf[:id]] = shelf
    status 201
    JSON.generate(shelf)
  end

  get("/shelves/:shelf/books") do
    shelf = found(SHELVES, params[:shelf], "shelf")
    JSON.generate(BOOKS.values.select { |book| book[:shelf] == shelf[:id] })
  end

  post "/shelves/:shelf/books" do
    shelf = found(SHELVES, params[:shelf], "shelf")
    title = body_of["title"]
    refuse(422, "title is missing") unless title.is_a?(String)
    refuse(409, "the shelf is full") if BOOKS.values.count { |book| book[:shelf] == shelf[:id] } >= shelf[:places]
    book = { id: BOOKS.size + 1, shelf: shelf[:id], title: title, spine: title[0].upcase }
    BOOKS[book[:id]] = book
    status 201
    JSON.generate(book)
  end

  get("/books/:book") { JSON.generate(found(BOOKS, params[:book], "book")) }

  post "/books/:book/loan" do
    book = found(BOOKS, params[:book], "book")
    refuse(409, "lent already") if LOANS[book[:id]]
    reader = body_of["reader"] or refuse(422, "reader is missing")
    LOANS[book[:id]] = { book: book[:id], reader: reader, renewals: 0 }
    status 201
    JSON.generate(LOANS[book[:id]])
  end

  post "/books/:book/loan/renewals" do
    loan = LOANS[params[:book].to_i] or refuse(404, "not lent")
    refuse(409, "renewed too often") if loan[:renewals] >= 2
    loan[:renewals] += 1
    status 201
    JSON.generate(loan)
  end

  delete "/books/:book/loan" do
    LOANS.delete(params[:book].to_i) or refuse(404, "not lent")
    status 204
  end
end

Library.run!(host: "127.0.0.1", port: Integer(ENV.fetch("PORT")), server: "webrick", quiet: true)
